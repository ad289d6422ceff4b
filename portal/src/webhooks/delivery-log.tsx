import {
  type AccountEndpoint,
  type DeliveryState,
  deliveryStates,
  describeAttempt,
  type WebhookDelivery,
} from '@chancery/contract'
import { Badge, Button, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../ui/announcer.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { formatTime, TimeAgo } from '../ui/time.tsx'
import { deliveryStateLabels, describeQueued } from './descriptions.ts'
import { ReplayDialog } from './replay-dialog.tsx'
import { UntrustedText } from './untrusted-text.tsx'
import { useDeliveries, useEndpointMutations } from './use-webhooks.ts'
import classes from './webhooks.module.css'

const firstRows = 25
const rowsMax = 100

export function DeliveryLog({ endpoint }: { endpoint: AccountEndpoint }) {
  const announce = useAnnounce()
  const [state, setState] = useState<DeliveryState | null>(null)
  const [limit, setLimit] = useState(firstRows)
  const [isReplayOpen, setReplayOpen] = useState(false)
  const deliveries = useDeliveries(endpoint.id, { limit, ...(state && { state }) })
  const { replay } = useEndpointMutations(endpoint.id)
  const onSuccess = ({ queued }: { queued: number }) => announce(describeQueued(queued))
  const isActive = endpoint.status === 'active'
  const replaying = replay.isPending ? replay.variables : undefined

  return (
    <Section title="Deliveries" lead="The last 30 days, newest first. Expand a delivery to see its attempts.">
      <div className={classes.tools}>
        <NativeSelect
          label="Status"
          value={state ?? ''}
          onChange={({ currentTarget }) =>
            setState(deliveryStates.find(name => name === currentTarget.value) ?? null)
          }
          data={[
            { value: '', label: 'All' },
            ...deliveryStates.map(name => ({ value: name, label: deliveryStateLabels[name].label })),
          ]}
        />
        {isActive && (
          <>
            <Button
              variant="default"
              loading={replaying !== undefined && 'failed' in replaying}
              onClick={() => replay.mutate({ failed: true }, { onSuccess })}
            >
              Replay failed
            </Button>
            <Button variant="default" onClick={() => setReplayOpen(true)}>
              Replay time range
            </Button>
          </>
        )}
      </div>
      {replay.error && <ErrorNotice error={replay.error} />}
      {replay.data && <p role="status">{describeQueued(replay.data.queued)}</p>}
      <QueryView query={deliveries} rows={4} rowHeight={44}>
        {({ data }) => (
          <>
            {data.length === 0 ? (
              <Empty>{state ? 'No deliveries with this status.' : 'No deliveries yet.'}</Empty>
            ) : (
              <ul className={classes.deliveries} aria-label="Deliveries">
                {data.map(delivery => (
                  <Delivery
                    key={delivery.id}
                    delivery={delivery}
                    isReplaying={
                      replaying !== undefined && 'delivery' in replaying && replaying.delivery === delivery.id
                    }
                    onReplay={
                      isActive ? () => replay.mutate({ delivery: delivery.id }, { onSuccess }) : undefined
                    }
                  />
                ))}
              </ul>
            )}
            {data.length >= limit && limit < rowsMax && (
              <Button size="compact-sm" variant="default" mt="xs" onClick={() => setLimit(rowsMax)}>
                Show more
              </Button>
            )}
          </>
        )}
      </QueryView>
      {isReplayOpen && <ReplayDialog endpointId={endpoint.id} onClose={() => setReplayOpen(false)} />}
    </Section>
  )
}

interface DeliveryProps {
  delivery: WebhookDelivery
  isReplaying: boolean
  onReplay: (() => void) | undefined
}

function Delivery({ delivery, isReplaying, onReplay }: DeliveryProps) {
  const { label, color } = deliveryStateLabels[delivery.state]
  const isFinished = delivery.state === 'delivered' || delivery.state === 'failed'
  return (
    <li className={classes.delivery}>
      <details>
        <summary>
          <span className={classes.deliverySummary}>
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
          {delivery.attempts.length === 0 && <li className={classes.dimmed}>No attempts yet.</li>}
          {delivery.attempts.map(attempt => (
            <li key={attempt.number}>
              <div>
                <strong>Attempt {attempt.number}</strong>{' '}
                <span className={classes.dimmed}>
                  {formatTime(attempt.attempted_at)} · {attempt.latency_ms} ms
                </span>
              </div>
              <div>{describeAttempt(attempt)}.</div>
              {attempt.next_at && (
                <div className={classes.dimmed}>
                  Next attempt <TimeAgo time={attempt.next_at} />
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
