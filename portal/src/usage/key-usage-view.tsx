import type { KeyUsage } from '@chancery/contract'
import { Alert, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { QueryView } from '../ui/query-view.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { Breakdown } from './breakdown.tsx'
import { RequestChart } from './request-chart.tsx'
import { RequestTable } from './request-table.tsx'
import classes from './usage.module.css'
import { useKeyUsage, useLoggedRequests } from './use-usage.ts'

type Span = 'minutes' | 'hours'

export function KeyUsageView({ keyId }: { keyId: string }) {
  const usage = useKeyUsage(keyId)
  const calls = useLoggedRequests({ keyId })
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
        <QueryView query={usage} rows={1} rowHeight={260}>
          {(found: KeyUsage) => (
            <RequestChart bars={found[span]} per={span === 'minutes' ? 'minute' : 'hour'} />
          )}
        </QueryView>
      </Section>
      <QueryView query={usage} rows={2} rowHeight={120}>
        {({ operations, statuses }) => (
          <>
            <DeprecationNotice operations={operations} />
            <div className={classes.pair}>
              <Section title="By operation, last 7 days">
                <Breakdown
                  caption="Calls by operation"
                  shares={operations.map(({ operation, calls }) => ({ name: operation, calls }))}
                />
              </Section>
              <Section title="By status, last 7 days">
                <Breakdown
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
      </QueryView>
      <Section title="Last calls">
        <QueryView query={calls} rows={6}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty>This key has called nothing in the last seven days.</Empty>
            ) : (
              <RequestTable caption="Last calls" calls={data} />
            )
          }
        </QueryView>
      </Section>
    </>
  )
}

/** Tells the owner in time: a bot that calls what will go stops working on a day that is known. */
function DeprecationNotice({ operations }: Pick<KeyUsage, 'operations'>) {
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
