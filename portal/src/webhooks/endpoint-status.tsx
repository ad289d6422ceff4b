import { type AccountEndpoint, disabledReasons } from '@chancery/contract'
import { Badge, Text } from '@mantine/core'
import { ExactTime, TimeAgo } from '../ui/time.tsx'
import { describeLastFailure, endpointStateLabel } from './descriptions.ts'
import classes from './webhooks.module.css'

/** Whether events are sent, why they fail, and when the endpoint will be disabled if it keeps failing. */
export function EndpointStatus({ endpoint }: { endpoint: AccountEndpoint }) {
  const { label, color } = endpointStateLabel(endpoint)
  const { status, disabled_reason, disabled_at, failing_since, previous_secret_ends_at } = endpoint
  return (
    <div className={classes.status}>
      <div>
        <Badge size="lg" variant="light" color={color}>
          {label}
        </Badge>
      </div>
      {status === 'disabled' && (
        <>
          <p>{disabled_reason && disabledReasons[disabled_reason]} No events are sent until you enable it.</p>
          {disabled_at && (
            <Text size="sm" c="dimmed">
              Disabled <TimeAgo time={disabled_at} />
            </Text>
          )}
        </>
      )}
      {status === 'unconfirmed' && (
        <p>No events are sent until the endpoint responds to a test with status 200 to 299.</p>
      )}
      {status === 'active' && !failing_since && <p>Events are sent as they happen.</p>}
      {status === 'active' && failing_since && <FailurePeriod endpoint={endpoint} />}
      <LastFailure endpoint={endpoint} />
      {previous_secret_ends_at && (
        <Text size="sm" c="dimmed">
          Messages are also signed with the previous secret until <ExactTime time={previous_secret_ends_at} />
          .
        </Text>
      )}
    </div>
  )
}

/** The reason of the last failed attempt, and when the next one is due. */
function LastFailure({ endpoint }: { endpoint: AccountEndpoint }) {
  const { last_failed_at, next_attempt_at } = endpoint
  const reason = describeLastFailure(endpoint)
  if (!last_failed_at || !reason) return null
  return (
    <p>
      Last failed attempt <TimeAgo time={last_failed_at} />: {reason}
      {next_attempt_at && (
        <>
          {' '}
          Next attempt: <ExactTime time={next_attempt_at} />.
        </>
      )}
    </p>
  )
}

function FailurePeriod({ endpoint }: { endpoint: AccountEndpoint }) {
  const { failing_since, switches_off_at, warnings } = endpoint
  return (
    <>
      <p>
        All attempts have failed since {failing_since && <ExactTime time={failing_since} />}.{' '}
        {switches_off_at && (
          <>
            The endpoint is disabled on <ExactTime time={switches_off_at} /> unless a delivery succeeds.
          </>
        )}
      </p>
      {warnings.length > 0 && (
        <ul className={classes.warnings} aria-label="Warnings">
          {warnings.map(({ percent, warned_at }) => (
            <li key={percent}>
              {percent}% of this period had passed on <ExactTime time={warned_at} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
