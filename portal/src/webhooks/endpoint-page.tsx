import type { AccountEndpoint } from '@chancery/contract'
import { Anchor, Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAnnounce } from '../ui/announcer.tsx'
import { DescriptionList } from '../ui/description-list.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Section } from '../ui/section.tsx'
import { TimeAgo, TimeOrNever } from '../ui/time.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointFilter } from './endpoint-filter.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointStatus } from './endpoint-status.tsx'
import { useEndpointMutations, useEndpoints } from './use-webhooks.ts'
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
  <PageHeading title="Endpoint not found">
    You have no endpoint with this ID.{' '}
    <Anchor component={Link} href="/webhooks" inherit underline="always">
      Go to your endpoints
    </Anchor>
  </PageHeading>
)

function EndpointDetails({ endpoint }: { endpoint: AccountEndpoint }) {
  const announce = useAnnounce()
  const [isEditing, setEditing] = useState(false)
  const { update } = useEndpointMutations(endpoint.id)

  if (isEditing) {
    const onSuccess = () => {
      setEditing(false)
      announce('Saved.')
    }
    return (
      <>
        <PageHeading title="Edit endpoint">{endpoint.url}</PageHeading>
        <EndpointForm
          endpoint={endpoint}
          submitLabel="Save"
          isPending={update.isPending}
          error={update.error}
          onSubmit={draft => update.mutate(draft, { onSuccess })}
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
      <Section title="Status">
        <EndpointStatus endpoint={endpoint} />
        <EndpointActions endpoint={endpoint} />
      </Section>
      <Section title="Events">
        <p className={classes.eventFilter}>
          <EndpointFilter endpoint={endpoint} />
        </p>
        <DescriptionList
          items={[
            ['Added', <TimeAgo key="added" time={endpoint.created_at} />],
            ['Last event delivered', <TimeOrNever key="delivered" time={endpoint.last_delivered_at} />],
            ['Last failed attempt', <TimeOrNever key="failed" time={endpoint.last_failed_at} />],
          ]}
        />
      </Section>
      <DeliveryLog endpoint={endpoint} />
    </>
  )
}
