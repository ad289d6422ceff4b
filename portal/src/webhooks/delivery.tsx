import type { WebhookDelivery } from '@chancery/contract'
import { Badge, Button, Text } from '@mantine/core'
import { formatTime } from '../ui/format-time.ts'
import { TimeAgo } from '../ui/time-ago.tsx'
import { deliveryStateLabels, describeAttempt } from './descriptions.ts'
import { UntrustedText } from './untrusted-text.tsx'
import classes from './webhooks.module.css'

interface Props {
  delivery: WebhookDelivery
  isReplaying: boolean
  onReplay: (() => void) | undefined
}

/** One message and every attempt to bring it. */
export function Delivery({ delivery, isReplaying, onReplay }: Props) {
  const { label, color } = deliveryStateLabels[delivery.state]
  const isFinished = delivery.state === 'delivered' || delivery.state === 'failed'
  return (
    <li className={classes.delivery}>
      <details>
        <summary>
          <span className={classes.what}>
            <Badge variant="light" color={color}>
              {label}
            </Badge>
            <code>{delivery.type}</code>
            <TimeAgo time={delivery.created_at} />
          </span>
        </summary>
        {delivery.next_at && (
          <Text size="sm" c="dimmed" ms="md" mt="xs">
            Next attempt <TimeAgo time={delivery.next_at} />
          </Text>
        )}
        <ol className={classes.attempts}>
          {delivery.attempts.length === 0 && <li className={classes.quiet}>No attempt yet.</li>}
          {delivery.attempts.map(attempt => (
            <li key={attempt.number}>
              <div>
                <strong>Attempt {attempt.number}</strong>{' '}
                <span className={classes.quiet}>
                  {formatTime(attempt.attempted_at)} · {attempt.latency_ms} ms
                </span>
              </div>
              <div>{describeAttempt(attempt)}.</div>
              {attempt.next_at && (
                <div className={classes.quiet}>
                  Tried again <TimeAgo time={attempt.next_at} />
                </div>
              )}
              {attempt.answer && <UntrustedText text={attempt.answer} />}
            </li>
          ))}
        </ol>
        {delivery.event_id && (
          <Text size="sm" c="dimmed" ms="md" mt="xs">
            webhook-id: <code>{delivery.event_id}</code>
          </Text>
        )}
      </details>
      {onReplay && isFinished && delivery.event_id && (
        <Button
          size="compact-sm"
          variant="default"
          loading={isReplaying}
          aria-label={`Replay ${delivery.type} of ${formatTime(delivery.created_at)}`}
          onClick={onReplay}
        >
          Replay
        </Button>
      )}
    </li>
  )
}
