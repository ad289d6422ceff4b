import { CommandError } from '../command-error.ts'
import { isRecord } from '../record.ts'

/** Readers of the members of one thing in an answer. Each throws a CommandError for what no Chancery says. */
export interface Members {
  text(member: string): string
  textOrNull(member: string): string | null
  textsOrNull(member: string): string[] | null
  number(member: string): number
  numberOrNull(member: string): number | null
  flag(member: string): boolean
  oneOf<T extends string>(member: string, known: readonly T[]): T
  /** The members of each thing in a list. */
  list(member: string): Members[]
  /** The members of a thing within; null where there is none. */
  withinOrNull(member: string): Members | null
}

/** `thing` is for the message: `a key`. */
export function membersOf(answer: unknown, thing: string): Members {
  if (!isRecord(answer)) throw strange(thing)

  const text = (member: string): string => {
    const value = answer[member]
    if (typeof value !== 'string') throw strange(thing)
    return value
  }
  const number = (member: string): number => {
    const value = answer[member]
    if (typeof value !== 'number') throw strange(thing)
    return value
  }
  const array = (member: string): unknown[] => {
    const value = answer[member]
    if (!Array.isArray(value)) throw strange(thing)
    return value
  }
  const isNone = (member: string) => answer[member] === undefined || answer[member] === null

  return {
    text,
    number,
    textOrNull: member => (isNone(member) ? null : text(member)),
    numberOrNull: member => (isNone(member) ? null : number(member)),
    textsOrNull: member => (isNone(member) ? null : array(member).map(String)),
    flag(member) {
      const value = answer[member]
      if (typeof value !== 'boolean') throw strange(thing)
      return value
    },
    oneOf(member, known) {
      const value = known.find(name => name === answer[member])
      if (value === undefined) throw strange(thing)
      return value
    },
    list: member => array(member).map(one => membersOf(one, thing)),
    withinOrNull: member => (isNone(member) ? null : membersOf(answer[member], thing)),
  }
}

const strange = (thing: string) =>
  new CommandError(`the service answered without what ${thing} has: is it a Chancery of this version?`)
