import type { EventKind, Names } from '@chancery/contract'
import { literal } from './literal.ts'

/** Around a mark in a sentence; no name holds it. */
const edge = '\u0001'

/**
 * The sentence of an event with another name for one nation. Names that stand nowhere but in the sentence are read out of it: the
 * sentence is made once with marks in their places. Where it was worded otherwise then, `current` names them. `found` is told the
 * former name.
 */
export function renamedSummary(
  kind: EventKind,
  event: { summary: string; data: unknown },
  {
    key,
    name,
    current,
    found,
  }: { key: string; name: string; current: Names; found: (former: string) => void },
): string {
  const ids: string[] = []
  const marked = kind.summarize(event.data as never, {
    nation: id => `${edge}${ids.push(id) - 1}${edge}`,
  })
  const parts = marked.split(new RegExp(`${edge}(\\d+)${edge}`))
  const pattern = parts.map((part, index) => (index % 2 === 0 ? literal(part) : '(.+)')).join('')
  const names = new RegExp(`^${pattern}$`, 'su').exec(event.summary)?.slice(1)
  return parts
    .map((part, index) => {
      if (index % 2 === 0) return part
      const id = ids[Number(part)] ?? ''
      const then = names?.[(index - 1) / 2]
      if (id !== key) return then ?? current.nation(id)
      if (then !== undefined) found(then)
      return name
    })
    .join('')
}
