/** Deeper than anything that a person writes. */
const depthMax = 32

/** An object or a list that is not closed yet, and where in it the text is. */
interface Open {
  names: Set<string> | undefined
  step: string | number
  isName: boolean
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g

/**
 * What parsing a text of JSON does not tell: members that are given twice, of which the last one would win without a word, and nesting
 * beyond all measure. A line each, with its JSON pointer; at most the first for what is nested too deep. `text` is JSON.
 */
export function jsonTextProblems(text: string): string[] {
  const problems: string[] = []
  const open: Open[] = []
  const place = () => open.map(({ step }) => `/${pointerTo(String(step))}`).join('')
  for (const [found] of text.matchAll(token)) {
    const inside = open.at(-1)
    if (found === '{' || found === '[') {
      if (open.length === depthMax)
        return [...problems, `${place()} is nested deeper than ${depthMax} levels`]
      const isObject = found === '{'
      open.push({ names: isObject ? new Set() : undefined, step: isObject ? '' : 0, isName: isObject })
    } else if (found === '}' || found === ']') open.pop()
    else if (!inside) continue
    else if (found === ',') {
      if (typeof inside.step === 'number') inside.step += 1
      else inside.isName = true
    } else if (found === ':') inside.isName = false
    else if (inside.isName) {
      inside.step = JSON.parse(found) as string
      if (inside.names?.has(inside.step)) problems.push(`${place()} is given twice`)
      inside.names?.add(inside.step)
    }
  }
  return problems
}

const pointerTo = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')
