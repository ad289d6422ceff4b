import type { AccountEndpoint } from '@chancery/contract'
import { Fragment } from 'react'
import { type ResourceName, useResourceNames } from '../api/resources.ts'

/** The filter of an endpoint, such as "war.*; about nation Karsk or Ostmark". */
export function EndpointFilter({ endpoint }: { endpoint: AccountEndpoint }) {
  const { types, nation_ids, alliance_ids } = endpoint
  return (
    <>
      {types ? types.join(', ') : 'All events'}
      {nation_ids && (
        <>
          ; about <Names resource="nation" ids={nation_ids} />
        </>
      )}
      {alliance_ids && (
        <>
          {nation_ids ? ' and ' : '; about '}
          <Names resource="alliance" ids={alliance_ids} />
        </>
      )}
    </>
  )
}

function Names({ resource, ids }: { resource: ResourceName; ids: string[] }) {
  const names = useResourceNames(resource, ids)
  return (
    <>
      {resource}{' '}
      {ids.map((id, index) => (
        <Fragment key={id}>
          {index > 0 && ' or '}
          <bdi>{names.get(id) ?? id}</bdi>
        </Fragment>
      ))}
    </>
  )
}
