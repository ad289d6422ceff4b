import { type FactResource, idPattern, primaryKeys, type Rejection, rejectionText } from '@chancery/contract'

/** One line of a batch of the puller. */
export interface RoundItem {
  op: 'snapshot' | 'put' | 'delete'
  resource: FactResource
  /** Empty for a snapshot. */
  key: string
  /** Of the row; empty without one. */
  hash: string
  line: string
}

/** A line that the service rejects, with the first of its problems. */
export interface RejectedItem extends RoundItem, Problem {
  others: Problem[]
}

type Problem = Omit<Rejection, 'line'>

/** One problem of a row. */
export interface RowProblem extends Problem {
  resource: FactResource
  key: string
}

/** All problems of a row. */
export const problemsOf = ({ resource, key, path, reason, value, others }: RejectedItem): RowProblem[] =>
  [{ path, reason, value }, ...others].map(problem => ({
    resource,
    key,
    path: problem.path,
    reason: problem.reason,
    ...(problem.value === undefined ? {} : { value: problem.value }),
  }))

export const deleteLine = (resource: FactResource, id: string) =>
  JSON.stringify({ op: 'delete', resource, id })

/** `except` lists rejected rows: their items stay in the world. */
export const snapshotLine = (resource: FactResource, except: string[], allowsDeletes: boolean) =>
  JSON.stringify({
    op: 'snapshot',
    resource,
    ...(except.length > 0 ? { except } : {}),
    ...(allowsDeletes ? { allow_deletes: true } : {}),
  })

/** The rule that a row violates, the same for all rows that violate it: list positions are masked. */
export const ruleOf = ({ resource, path }: RowProblem) => `${resource} ${path.replace(/\/\d+/g, '/*')}`

/** `nation 42: /national_score must be a number (it is "many")`. */
export const rowProblemText = ({ resource, key, path, ...problem }: RowProblem) =>
  `${resource} ${key}: ${rejectionText({ ...problem, path: path.replace(/^\/data/, '') || primaryKeys[resource] })}`

const keyPattern = new RegExp(idPattern)
/** Whether the service can know an item of this key. */
export const isKey = (key: string) => keyPattern.test(key)
