import type { KeyUsage as Usage } from '@chancery/contract'
import { Alert, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { basePath } from '../api/base-path.ts'
import { Pager } from '../ui/pager.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { Rejections } from './rejections.tsx'
import { RequestChart } from './request-chart.tsx'
import { RequestTable } from './request-table.tsx'
import classes from './usage.module.css'
import { useKeyUsage, useLoggedRequests } from './use-usage.ts'

type TimeRange = 'minutes' | 'hours'

export function KeyUsage({ keyId }: { keyId: string }) {
  const usage = useKeyUsage(keyId)
  const requests = useLoggedRequests({ key_id: keyId })
  const [range, setRange] = useState<TimeRange>('minutes')
  return (
    <>
      <Section
        title="Requests"
        action={
          <SegmentedControl<TimeRange>
            aria-label="Time range"
            size="xs"
            value={range}
            onChange={setRange}
            data={[
              { value: 'minutes', label: 'Last hour' },
              { value: 'hours', label: 'Last 7 days' },
            ]}
          />
        }
      >
        <QueryView query={usage} rows={1} rowHeight={260}>
          {found => <RequestChart bars={found[range]} per={range === 'minutes' ? 'minute' : 'hour'} />}
        </QueryView>
      </Section>
      <QueryView query={usage} rows={2} rowHeight={120}>
        {({ operations, statuses, errors }) => (
          <>
            <DeprecationNotice operations={operations} />
            <div className={classes.pair}>
              <Section title="By operation, last 7 days">
                <Breakdown
                  caption="Requests by operation"
                  items={operations.map(({ operation, calls }) => ({ name: operation, requests: calls }))}
                />
              </Section>
              <Section title="By status, last 7 days">
                <Breakdown
                  caption="Requests by status"
                  items={statuses.map(({ status, calls }) => ({
                    name: String(status),
                    requests: calls,
                    isError: status >= 400,
                  }))}
                />
              </Section>
            </div>
            <Section
              title="Rejected requests, last 7 days"
              lead="By error code and by the parameter that was wrong, or similar to the unknown one. Values and unknown names are not kept."
            >
              <Rejections errors={errors} />
            </Section>
          </>
        )}
      </QueryView>
      <Section title="Recent requests">
        <QueryView query={requests} rows={6}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty>No requests with this key in the last seven days.</Empty>
            ) : (
              <RequestTable caption="Recent requests" requests={data} />
            )
          }
        </QueryView>
      </Section>
    </>
  )
}

function DeprecationNotice({ operations }: Pick<Usage, 'operations'>) {
  const deprecated = operations.filter(operation => operation.deprecated > 0)
  if (deprecated.length === 0) return null
  return (
    <Alert color="yellow" title="This key uses deprecated parts of the API" mb="md">
      In the last 7 days, responses of {deprecated.map(({ operation }) => operation).join(', ')} had
      Deprecation and Sunset headers.{' '}
      <a href={`${basePath()}/docs/guides/stability#deprecation-policy`}>Deprecation policy</a>
    </Alert>
  )
}

const numbers = new Intl.NumberFormat('en')
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

interface BreakdownItem {
  name: string
  requests: number
  isError?: boolean
}

/** Shares of the requests, in the given order. */
function Breakdown({ caption, items }: { caption: string; items: BreakdownItem[] }) {
  const total = items.reduce((sum, { requests }) => sum + requests, 0)
  if (total === 0) return <Empty>No requests.</Empty>
  return (
    <Pager rows={items} noun="rows" rowsPerPage={6}>
      {rows => (
        <ul className={classes.breakdown} aria-label={caption}>
          {rows.map(({ name, requests, isError }) => (
            <li key={name}>
              <span className={classes.itemName}>{name}</span>
              <span className={classes.itemNumber}>
                {numbers.format(requests)} · {percent.format(requests / total)}
              </span>
              <svg
                viewBox="0 0 100 4"
                preserveAspectRatio="none"
                className={classes.meter}
                aria-hidden="true"
              >
                <rect width="100" height="4" className={classes.meterTrack} />
                <rect
                  width={(100 * requests) / total}
                  height="4"
                  className={isError ? classes.limited : classes.allowed}
                />
              </svg>
            </li>
          ))}
        </ul>
      )}
    </Pager>
  )
}
