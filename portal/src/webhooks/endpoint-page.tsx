import type { AccountEndpoint } from '@chancery/contract'
import { Anchor, Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAnnounce } from '../ui/announcer.tsx'
import { DescriptionList } from '../ui/description-list.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Section } from '../ui/section.tsx'
import { TimeAgo, TimeOrNever } from '../ui/time-ago.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { describeFilter } from './descriptions.ts'
import { formValuesOf } from './draft.ts'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { useEndpointChanges, useEndpoints } from './use-webhooks.ts'
import classes from './webhooks.module.css'

export function EndpointPage({ id }: { id: string }) {
  const endpoints = useEndpoints()
  return (
    <>
      {endpoints.data === undefined && <PageHeading title="Endpoint" />}
      <QueryView query={endpoints} rows={4} rowHeight={110}>
        {({ data }) => {
          const endpoint = data.find(other => other.id === id)
          return endpoint ? <EndpointDetails endpoint={endpoint} /> : <EndpointNotFound />
        }}
      </QueryView>
    </>
  )
}

const EndpointNotFound = () => (
  <PageHeading title="No such endpoint">
    There is none of this name among yours.{' '}
    <Anchor component={Link} href="/webhooks" inherit underline="always">
      Go to your endpoints
    </Anchor>
  </PageHeading>
)

function EndpointDetails({ endpoint }: { endpoint: AccountEndpoint }) {
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
          initial={formValuesOf(endpoint)}
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
        <p className={classes.hears}>{describeFilter(endpoint)}</p>
        <DescriptionList
          items={[
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
