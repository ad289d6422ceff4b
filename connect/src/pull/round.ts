import { type FactResource, factKeys } from '@chancery/contract'

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

/** A line that the service refuses. */
export interface RefusedItem extends Item {
  path: string
  reason: string
}

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
export const ruleOf = ({ resource, path }: RefusedItem) => `${resource} ${path.replace(/\/\d+/g, '/*')}`

/** `nation 42: /national_score must be number`. */
export const refusalText = ({ resource, key, path, reason }: RefusedItem) =>
  `${resource} ${key}: ${path.replace(/^\/data/, '') || factKeys[resource]} ${reason}`

const keyPattern = /^[A-Za-z0-9_-]{1,64}$/
/** Whether a thing of this key may be known to the service at all. */
export const isKey = (key: string) => keyPattern.test(key)
