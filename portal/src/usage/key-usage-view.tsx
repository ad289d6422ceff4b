import type { KeyUsage } from '@chancery/contract'
import { Alert, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { Loaded } from '../page/loaded.tsx'
import { Empty, Section } from '../page/section.tsx'
import { CallChart } from './call-chart.tsx'
import { CallTable } from './call-table.tsx'
import { Shares } from './shares.tsx'
import classes from './usage.module.css'
import { useCalls, useKeyUsage } from './use-usage.ts'

type Span = 'minutes' | 'hours'

export function KeyUsageView({ keyId }: { keyId: string }) {
  const usage = useKeyUsage(keyId)
  const calls = useCalls({ keyId })
  const [span, setSpan] = useState<Span>('minutes')
  return (
    <>
      <Section
        title="Calls"
        action={
          <SegmentedControl<Span>
            aria-label="Span"
            size="xs"
            value={span}
            onChange={setSpan}
            data={[
              { value: 'minutes', label: 'Last hour' },
              { value: 'hours', label: 'Last 7 days' },
            ]}
          />
        }
      >
        <Loaded query={usage} rows={1} rowHeight={260}>
          {(found: KeyUsage) => <CallChart bars={found[span]} per={span === 'minutes' ? 'minute' : 'hour'} />}
        </Loaded>
      </Section>
      <Loaded query={usage} rows={2} rowHeight={120}>
        {({ operations, statuses }) => (
          <>
            <Going operations={operations} />
            <div className={classes.pair}>
              <Section title="By operation, last 7 days">
                <Shares
                  caption="Calls by operation"
                  shares={operations.map(({ operation, calls }) => ({ name: operation, calls }))}
                />
              </Section>
              <Section title="By status, last 7 days">
                <Shares
                  caption="Calls by status"
                  shares={statuses.map(({ status, calls }) => ({
                    name: String(status),
                    calls,
                    isRefusal: status >= 400,
                  }))}
                />
              </Section>
            </div>
          </>
        )}
      </Loaded>
      <Section title="Last calls">
        <Loaded query={calls} rows={6}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty>This key has called nothing in the last seven days.</Empty>
            ) : (
              <CallTable caption="Last calls" calls={data} />
            )
          }
        </Loaded>
      </Section>
    </>
  )
}

/** Tells the owner in time: a bot that calls what will go stops working on a day that is known. */
function Going({ operations }: Pick<KeyUsage, 'operations'>) {
  const going = operations.filter(({ deprecated }) => deprecated > 0)
  if (going.length === 0) return null
  return (
    <Alert color="yellow" title="This key calls what will go" mb="md">
      Answers of {going.map(({ operation }) => operation).join(', ')} said so in the last 7 days, in their
      Deprecation and Sunset headers.{' '}
      <a href="/docs/guides/stability#deprecation-policy">Deprecation policy</a>
    </Alert>
  )
}
