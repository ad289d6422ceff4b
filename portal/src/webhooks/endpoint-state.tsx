import type { AccountEndpoint } from '@chancery/contract'
import { disabledReasons } from '@chancery/contract'
import { Badge, Text } from '@mantine/core'
import { ExactTime, TimeAgo } from '../ui/time-ago.tsx'
import { endpointStateLabel } from './descriptions.ts'
import classes from './webhooks.module.css'

/** Whether it hears, and what will become of it if nothing is done. */
export function EndpointState({ endpoint }: { endpoint: AccountEndpoint }) {
  const { label, color } = endpointStateLabel(endpoint)
  const { disabled_reason, disabled_at, failing_since, switches_off_at, previous_secret_ends_at } = endpoint
  return (
    <div className={classes.state}>
      <div>
        <Badge size="lg" variant="light" color={color}>
          {label}
        </Badge>
      </div>
      {endpoint.status === 'disabled' && (
        <p>
          {disabled_reason && disabledReasons[disabled_reason]}{' '}
          {disabled_at && <TimeAgo time={disabled_at} />}. It hears nothing until it is switched on.
        </p>
      )}
      {endpoint.status === 'unconfirmed' && (
        <p>It hears nothing until a test has been answered with 200 to 299.</p>
      )}
      {endpoint.status === 'active' && failing_since && (
        <>
          <p>
            Every attempt has failed since <ExactTime time={failing_since} />.{' '}
            {switches_off_at && (
              <>
                If nothing arrives until <ExactTime time={switches_off_at} />, it is switched off.
              </>
            )}
          </p>
          {endpoint.warnings.length > 0 && (
            <ul className={classes.warnings} aria-label="Warnings">
              {endpoint.warnings.map(({ percent, warned_at }) => (
                <li key={percent}>
                  {percent} % of that time had passed on <ExactTime time={warned_at} />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      {endpoint.status === 'active' && !failing_since && <p>Events are sent to it as they happen.</p>}
      {previous_secret_ends_at && (
        <Text size="sm" c="dimmed">
          The secret before this one signs beside it until <ExactTime time={previous_secret_ends_at} />.
        </Text>
      )}
    </div>
  )
}
