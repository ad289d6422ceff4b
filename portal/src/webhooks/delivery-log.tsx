import { type AccountEndpoint, deliveryStates } from '@chancery/contract'
import { Button, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../ui/announcer.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { Delivery } from './delivery.tsx'
import { deliveryStateLabels } from './descriptions.ts'
import { ReplaySpanDialog } from './replay-span-dialog.tsx'
import { useDeliveries, useEndpointChanges } from './use-webhooks.ts'
import classes from './webhooks.module.css'

const firstRows = 25
const rowsMax = 100

export function DeliveryLog({ endpoint }: { endpoint: AccountEndpoint }) {
  const announce = useAnnounce()
  const [state, setState] = useState('')
  const [limit, setLimit] = useState(firstRows)
  const [isAskingSpan, setAskingSpan] = useState(false)
  const deliveries = useDeliveries(endpoint.id, { limit, state })
  const { replay } = useEndpointChanges(endpoint.id)
  const onSuccess = ({ queued }: { queued: number }) => announce(`${queued} queued once more.`)
  const hears = endpoint.status === 'active'

  return (
    <Section title="Deliveries" lead="Of the last 30 days, newest first. Each opens to its attempts.">
      <div className={classes.tools}>
        <NativeSelect
          label="State"
          value={state}
          onChange={event => setState(event.currentTarget.value)}
          data={[
            { value: '', label: 'All' },
            ...deliveryStates.map(name => ({ value: name, label: deliveryStateLabels[name].label })),
          ]}
        />
        {hears && (
          <>
            <Button
              variant="default"
              loading={replay.isPending && replay.variables !== undefined && 'failed' in replay.variables}
              onClick={() => replay.mutate({ failed: true }, { onSuccess })}
            >
              Replay all that failed
            </Button>
            <Button variant="default" onClick={() => setAskingSpan(true)}>
              Replay a span
            </Button>
          </>
        )}
      </div>
      {replay.error && <ErrorNotice error={replay.error} />}
      {replay.data && <p role="status">{replay.data.queued} queued once more.</p>}
      <QueryView query={deliveries} rows={4} rowHeight={44}>
        {({ data }) => (
          <>
            {data.length === 0 ? (
              <Empty>{state ? 'No delivery is in this state.' : 'Nothing has been sent yet.'}</Empty>
            ) : (
              <ul className={classes.deliveries} aria-label="Deliveries">
                {data.map(delivery => (
                  <Delivery
                    key={delivery.id}
                    delivery={delivery}
                    isReplaying={
                      replay.isPending &&
                      replay.variables !== undefined &&
                      'delivery' in replay.variables &&
                      replay.variables.delivery === delivery.id
                    }
                    onReplay={
                      hears ? () => replay.mutate({ delivery: delivery.id }, { onSuccess }) : undefined
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
      {isAskingSpan && <ReplaySpanDialog endpointId={endpoint.id} onClose={() => setAskingSpan(false)} />}
    </Section>
  )
}
