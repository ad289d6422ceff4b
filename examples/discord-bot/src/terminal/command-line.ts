import type { Command, Option } from '../command.ts'

/** What somebody typed: a command and the values of its options, or why it is none. */
export type Typed = { command: Command; values: Record<string, string> } | { problem: string }

/**
 * Reads `wars Valdoria`, `rankings alliances` or `setup role "War hero" alliance=CV rank=officer`.
 * `option=value` sets an option; other words fill the options that are still open, in their order, the last of them to the end of the line.
 */
export function readCommand(line: string, commands: readonly Command[]): Typed {
  const words = wordsOf(line.trim().replace(/^\//, ''))
  const command = commands
    .toSorted((a, b) => b.name.length - a.name.length)
    .find(({ name }) => name.split(' ').every((word, index) => words[index]?.text.toLowerCase() === word))
  if (!command)
    return { problem: `There is no command ${words[0]?.text ?? ''}. Type help to see what there is.` }

  const values: Record<string, string> = {}
  const loose: string[] = []
  for (const { text, isQuoted } of words.slice(command.name.split(' ').length)) {
    const [, name = '', value = ''] = /^([a-z]+)=(.*)$/s.exec(text) ?? []
    if (!isQuoted && command.options.some(option => option.name === name)) values[name] = value
    else loose.push(text)
  }
  const open = command.options.filter(({ name }) => !(name in values))
  for (const [index, option] of open.entries()) {
    const taken = index === open.length - 1 || isText(option) ? loose.splice(0) : loose.splice(0, 1)
    if (taken.length > 0) values[option.name] = taken.join(' ')
  }
  const missing = command.options.find(({ name, isRequired }) => isRequired && !values[name])
  return missing ? { problem: `${usage(command)}: ${missing.description}` } : { command, values }
}

/** Names have spaces: without quotes they go on to the end of the line. */
const isText = ({ kind }: Option) => kind === 'nation' || kind === 'alliance' || kind === 'text'

export const usage = ({ name, options }: Command): string =>
  [name, ...options.map(option => (option.isRequired ? option.name.toUpperCase() : `[${option.name}]`))].join(
    ' ',
  )

interface Word {
  text: string
  isQuoted: boolean
}

/** Words between spaces; quotes keep spaces together, also behind an equals sign. */
const wordsOf = (line: string): Word[] =>
  Array.from(line.matchAll(/([a-z]+=)?"([^"]*)"|(\S+)/g), ([, name = '', quoted, bare]) =>
    bare === undefined
      ? { text: name + (quoted ?? ''), isQuoted: name === '' }
      : { text: bare, isQuoted: false },
  )
