import { type AccountEndpoint, deliveryStates } from '@chancery/contract'
import { Button, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../page/announcer.tsx'
import { ErrorNotice } from '../page/error-notice.tsx'
import { Loaded } from '../page/loaded.tsx'
import { Empty, Section } from '../page/section.tsx'
import { Delivery } from './delivery.tsx'
import { ReplaySpanDialog } from './replay-span-dialog.tsx'
import { useDeliveries, useEndpointChanges } from './use-webhooks.ts'
import classes from './webhooks.module.css'
import { deliveryWords } from './words.ts'

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
            ...deliveryStates.map(name => ({ value: name, label: deliveryWords[name].label })),
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
      <Loaded query={deliveries} rows={4} rowHeight={44}>
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
      </Loaded>
      {isAskingSpan && <ReplaySpanDialog endpointId={endpoint.id} onClose={() => setAskingSpan(false)} />}
    </Section>
  )
}
