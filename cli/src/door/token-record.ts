import { type OperatorTokenRecord, operatorRoleNames } from '@chancery/contract'
import { type Members, membersOf } from './members.ts'

/** With the token itself, which is told once. */
export interface NewToken extends OperatorTokenRecord {
  token: string
}

const thing = 'an operator token'

/** Throws a CommandError for what no Chancery says, as the readers below. */
export const readToken = (answer: unknown): OperatorTokenRecord => tokenOf(membersOf(answer, thing))

export function readNewToken(answer: unknown): NewToken {
  const members = membersOf(answer, thing)
  const { id, ...rest } = tokenOf(members)
  return { id, token: members.text('token'), ...rest }
}

export const readTokens = (answer: unknown): OperatorTokenRecord[] =>
  membersOf(answer, thing).list('data').map(tokenOf)

function tokenOf({ text, textOrNull, textsOrNull }: Members): OperatorTokenRecord {
  const roles = textsOrNull('roles') ?? []
  return {
    id: text('id'),
    name: text('name'),
    roles: operatorRoleNames.filter(role => roles.includes(role)),
    created_at: text('created_at'),
    expires_at: textOrNull('expires_at'),
    revoked_at: textOrNull('revoked_at'),
    last_used_at: textOrNull('last_used_at'),
  }
}

/** A line of the operator log. */
export interface LogLine {
  id: number
  at: string
  token_id: string
  token_name: string
  action: string
  subject: string | null
  status: number | null
}

/** Newest first. */
export const readLog = (answer: unknown): LogLine[] =>
  membersOf(answer, 'a line of the log').list('data').map(lineOf)

function lineOf({ text, textOrNull, number, numberOrNull }: Members): LogLine {
  return {
    id: number('id'),
    at: text('at'),
    token_id: text('token_id'),
    token_name: text('token_name'),
    action: text('action'),
    subject: textOrNull('subject'),
    status: numberOrNull('status'),
  }
}
