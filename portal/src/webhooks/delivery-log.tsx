import { type AccountEndpoint, type DeliveryState, deliveryStates } from '@chancery/contract'
import { Button, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../ui/announcer.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { Delivery } from './delivery.tsx'
import { deliveryStateLabels, describeQueued } from './descriptions.ts'
import { ReplayDialog } from './replay-dialog.tsx'
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
    <Section
      title="Deliveries"
      lead="The last 30 days, newest first. Expand a delivery to see what was sent and received."
    >
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
              Resend all failed
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
                    endpointId={endpoint.id}
                    isResending={
                      replaying !== undefined && 'delivery' in replaying && replaying.delivery === delivery.id
                    }
                    onResend={
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
