import type { Command } from '../command.ts'

/** What a button asks for: the same command, another page. */
export interface PageAsked {
  command: Command
  values: Record<string, string>
  page: number
}

/** Discord's limit for the id of a button. A command, a page and an id of the game stay below it. */
export const customIdMax = 100

const prefix = 'page'
const separator = '|'

/** `page|2|wars|id:n42`: the values in the order of the command's options. */
export const pageId = ({ command, values, page }: PageAsked): string =>
  [prefix, page, command.name, ...command.options.map(({ name }) => values[name] ?? '')].join(separator)

/** Undefined for the id of another button, or of a command that is no more. */
export function readPageId(id: string, commands: readonly Command[]): PageAsked | undefined {
  const [kind, digits = '', name, ...given] = id.split(separator)
  const command = commands.find(of => of.name === name)
  if (kind !== prefix || !command || !/^[1-9]\d{0,14}$/.test(digits)) return undefined
  const values = Object.fromEntries(
    command.options.flatMap((option, index) => (given[index] ? [[option.name, given[index]]] : [])),
  )
  return { command, values, page: Number(digits) }
}
