import { type AccountEndpoint, webhooks } from '@chancery/contract'
import { Anchor, Badge, Button, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { PlusIcon } from '../ui/icons.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Empty } from '../ui/section.tsx'
import { TimeAgo } from '../ui/time.tsx'
import { describeLastFailure, endpointStateLabel } from './descriptions.ts'
import { EndpointFilter } from './endpoint-filter.tsx'
import { useEndpoints } from './use-webhooks.ts'
import classes from './webhooks.module.css'

export function WebhooksPage() {
  const endpoints = useEndpoints()
  return (
    <>
      <PageHeading
        title="Webhooks"
        action={
          <Button component={Link} href="/webhooks/new" leftSection={<PlusIcon />}>
            Add endpoint
          </Button>
        }
      >
        Receive game events at your own URL within seconds. Messages are signed, and failed deliveries are
        retried.
      </PageHeading>
      <QueryView query={endpoints} rows={2} rowHeight={120}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>You have no endpoints. Add one to receive events instead of polling the API.</Empty>
          ) : (
            <>
              <ul className={classes.list} aria-label="Endpoints">
                {data.map(endpoint => (
                  <EndpointCard key={endpoint.id} endpoint={endpoint} />
                ))}
              </ul>
              <Text size="sm" c="dimmed">
                {data.length} of {webhooks.endpointsPerPlayerMax} endpoints
              </Text>
            </>
          )
        }
      </QueryView>
    </>
  )
}

function EndpointCard({ endpoint }: { endpoint: AccountEndpoint }) {
  const { label, color } = endpointStateLabel(endpoint)
  const reason = describeLastFailure(endpoint)
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <Title order={2} className={classes.url}>
          <Anchor component={Link} href={`/webhooks/${endpoint.id}`} inherit>
            {endpoint.url}
          </Anchor>
        </Title>
        <Badge variant="light" color={color}>
          {label}
        </Badge>
      </div>
      {endpoint.description && (
        <Text size="sm">
          <bdi>{endpoint.description}</bdi>
        </Text>
      )}
      <Text size="sm" c="dimmed" className={classes.filter}>
        <EndpointFilter endpoint={endpoint} />
      </Text>
      {(endpoint.status === 'unconfirmed' || endpoint.failing_since) && reason && (
        <Text size="sm">Last failed attempt: {reason}</Text>
      )}
      <Text size="sm" c="dimmed">
        {endpoint.last_delivered_at ? (
          <>
            Last event delivered <TimeAgo time={endpoint.last_delivered_at} />
          </>
        ) : (
          'No events delivered yet'
        )}
      </Text>
    </li>
  )
}
