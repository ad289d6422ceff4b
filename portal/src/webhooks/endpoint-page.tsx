import type { AccountEndpoint } from '@chancery/contract'
import { Anchor, Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAnnounce } from '../page/announcer.tsx'
import { Facts } from '../page/facts.tsx'
import { Loaded } from '../page/loaded.tsx'
import { PageHeading } from '../page/page-heading.tsx'
import { Section } from '../page/section.tsx'
import { TimeAgo, TimeOrNever } from '../page/time-ago.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { draftTextOf } from './draft.ts'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { useEndpointChanges, useEndpoints } from './use-webhooks.ts'
import classes from './webhooks.module.css'
import { sayFilter } from './words.ts'

export function EndpointPage({ id }: { id: string }) {
  const endpoints = useEndpoints()
  return (
    <>
      {endpoints.data === undefined && <PageHeading title="Endpoint" />}
      <Loaded query={endpoints} rows={4} rowHeight={110}>
        {({ data }) => {
          const endpoint = data.find(other => other.id === id)
          return endpoint ? <OneEndpoint endpoint={endpoint} /> : <NoEndpoint />
        }}
      </Loaded>
    </>
  )
}

const NoEndpoint = () => (
  <PageHeading title="No such endpoint">
    There is none of this name among yours.{' '}
    <Anchor component={Link} href="/webhooks" inherit underline="always">
      Go to your endpoints
    </Anchor>
  </PageHeading>
)

function OneEndpoint({ endpoint }: { endpoint: AccountEndpoint }) {
  const announce = useAnnounce()
  const [isEditing, setEditing] = useState(false)
  const { change } = useEndpointChanges(endpoint.id)

  if (isEditing) {
    const onSuccess = () => {
      setEditing(false)
      announce('Saved.')
    }
    return (
      <>
        <PageHeading title="Edit endpoint">{endpoint.url}</PageHeading>
        <EndpointForm
          initial={draftTextOf(endpoint)}
          submitLabel="Save"
          isPending={change.isPending}
          error={change.error}
          onSubmit={draft => change.mutate(draft, { onSuccess })}
          onCancel={() => setEditing(false)}
        />
      </>
    )
  }
  return (
    <>
      <PageHeading
        title={endpoint.url}
        action={
          <Button variant="default" onClick={() => setEditing(true)}>
            Edit
          </Button>
        }
      >
        {endpoint.description && <bdi>{endpoint.description}</bdi>}
      </PageHeading>
      <Section title="State">
        <EndpointState endpoint={endpoint} />
        <EndpointActions endpoint={endpoint} />
      </Section>
      <Section title="What it hears">
        <p className={classes.hears}>{sayFilter(endpoint)}</p>
        <Facts
          facts={[
            ['Added', <TimeAgo key="added" time={endpoint.created_at} />],
            ['Last arrived', <TimeOrNever key="arrived" time={endpoint.last_delivered_at} />],
            ['Last failed', <TimeOrNever key="failed" time={endpoint.last_failed_at} />],
          ]}
        />
      </Section>
      <DeliveryLog endpoint={endpoint} />
    </>
  )
}
