import { type FactResource, primaryKeys, rejectionText } from '@chancery/contract'
import type { Refusal } from '../door.ts'

/** One line of a batch of the puller. */
export interface Item {
  op: 'snapshot' | 'put' | 'delete'
  resource: FactResource
  /** Empty for a snapshot. */
  key: string
  /** Of the row; empty where there is none. */
  hash: string
  line: string
}

/** A line that the service refuses, and the first thing that is wrong with it. */
export interface RefusedItem extends Item, Problem {
  others: Problem[]
}

type Problem = Omit<Refusal, 'line'>

/** One thing that is wrong with a row. */
export interface RowProblem extends Problem {
  resource: FactResource
  key: string
}

/** All that is wrong with a row. */
export const problemsOf = ({ resource, key, path, reason, value, others }: RefusedItem): RowProblem[] =>
  [{ path, reason, value }, ...others].map(problem => ({
    resource,
    key,
    path: problem.path,
    reason: problem.reason,
    ...(problem.value === undefined ? {} : { value: problem.value }),
  }))

export const deleteLine = (resource: FactResource, id: string) =>
  JSON.stringify({ op: 'delete', resource, id })

/** `except` names the rows that are set aside: what the world knows of them stays. */
export const snapshotLine = (resource: FactResource, except: string[], allowsDeletes: boolean) =>
  JSON.stringify({
    op: 'snapshot',
    resource,
    ...(except.length > 0 ? { except } : {}),
    ...(allowsDeletes ? { allow_deletes: true } : {}),
  })

/** What a refusal is about, the same for all rows that break the same rule: digits of list positions do not count. */
export const ruleOf = ({ resource, path }: RowProblem) => `${resource} ${path.replace(/\/\d+/g, '/*')}`

/** `nation 42: /national_score must be a number (it is "many")`. */
export const rowProblemText = ({ resource, key, path, ...problem }: RowProblem) =>
  `${resource} ${key}: ${rejectionText({ ...problem, path: path.replace(/^\/data/, '') || primaryKeys[resource] })}`

const keyPattern = /^[A-Za-z0-9_-]{1,64}$/
/** Whether a thing of this key may be known to the service at all. */
export const isKey = (key: string) => keyPattern.test(key)
