import { type FactResource, primaryKeys } from '@chancery/contract'

/** The table that holds the things of a resource, and the column of their key. Who has applied is nobody's business. */
export const factTable = (resource: FactResource) => ({
  table: `${resource === 'alliance_application' ? 'chancery_secret' : 'chancery_world'}.${resource}`,
  key: primaryKeys[resource],
})
