import { type AccountEndpoint, disabledReasons } from '@chancery/contract'
import { Anchor, Badge, Button, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAnnounce } from '../ui/announcer.tsx'
import { DescriptionList } from '../ui/description-list.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Section } from '../ui/section.tsx'
import { ExactTime, TimeAgo, TimeOrNever } from '../ui/time.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { describeFilter, endpointStateLabel } from './descriptions.ts'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointForm } from './endpoint-form.tsx'
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
        <p className={classes.eventFilter}>{describeFilter(endpoint)}</p>
        <DescriptionList
          items={[
            ['Added', <TimeAgo key="added" time={endpoint.created_at} />],
            ['Last delivery', <TimeOrNever key="delivered" time={endpoint.last_delivered_at} />],
            ['Last failure', <TimeOrNever key="failed" time={endpoint.last_failed_at} />],
          ]}
        />
      </Section>
      <DeliveryLog endpoint={endpoint} />
    </>
  )
}

/** Whether events are sent, and when the endpoint will be disabled if it keeps failing. */
function EndpointStatus({ endpoint }: { endpoint: AccountEndpoint }) {
  const { label, color } = endpointStateLabel(endpoint)
  const { disabled_reason, disabled_at, failing_since, switches_off_at, previous_secret_ends_at } = endpoint
  return (
    <div className={classes.status}>
      <div>
        <Badge size="lg" variant="light" color={color}>
          {label}
        </Badge>
      </div>
      {endpoint.status === 'disabled' && (
        <>
          <p>{disabled_reason && disabledReasons[disabled_reason]} No events are sent until you enable it.</p>
          {disabled_at && (
            <Text size="sm" c="dimmed">
              Disabled <TimeAgo time={disabled_at} />
            </Text>
          )}
        </>
      )}
      {endpoint.status === 'unconfirmed' && (
        <p>No events are sent until the endpoint responds to a test with status 200 to 299.</p>
      )}
      {endpoint.status === 'active' && failing_since && (
        <>
          <p>
            All attempts have failed since <ExactTime time={failing_since} />.{' '}
            {switches_off_at && (
              <>
                The endpoint is disabled on <ExactTime time={switches_off_at} /> unless a delivery succeeds.
              </>
            )}
          </p>
          {endpoint.warnings.length > 0 && (
            <ul className={classes.warnings} aria-label="Warnings">
              {endpoint.warnings.map(({ percent, warned_at }) => (
                <li key={percent}>
                  {percent}% of this period had passed on <ExactTime time={warned_at} />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      {endpoint.status === 'active' && !failing_since && <p>Events are sent as they happen.</p>}
      {previous_secret_ends_at && (
        <Text size="sm" c="dimmed">
          Messages are also signed with the previous secret until <ExactTime time={previous_secret_ends_at} />
          .
        </Text>
      )}
    </div>
  )
}
