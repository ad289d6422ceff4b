import type { Contract, PublicOf } from '@chancery/contract'
import { NativeSelect, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { readPublic } from '../api/resources.ts'
import { Curve, type Measure } from '../ui/curve.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { formatDay, formatTime } from '../ui/time.tsx'
import { useHistory } from '../ui/use-history.ts'

type Game = PublicOf<Contract['resources']['game']>
type PricePoint = PublicOf<Contract['resources']['price_history_point']>

const ranges = {
  week: { label: '7 days', days: 7, interval: 'hour' },
  quarter: { label: '90 days', days: 90, interval: 'day' },
  all: { label: '400 days', days: 400, interval: 'day' },
} as const

const measures: Measure<PricePoint>[] = [
  { label: 'Price', valueOf: point => point.close },
  { label: 'Volume', valueOf: point => point.volume_24h ?? undefined, isWhole: true },
]

/** The development of market prices. The URL names the resource, so that the browser's back button works. */
export function MarketPage() {
  const game = useQuery({
    queryKey: ['game'],
    queryFn: () => readPublic<{ data: Game }>('/game'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [parameters, setParameters] = useSearchParams()
  return (
    <>
      <PageHeading title="Market">How prices have developed. Everyone can read them.</PageHeading>
      <QueryView query={game} rows={4} rowHeight={72}>
        {({ data: { resources, currency } }) => {
          const resource = resources.find(({ key }) => key === parameters.get('resource')) ?? resources[0]
          if (!resource) return <Empty>This game has no traded resources.</Empty>
          return (
            <>
              <NativeSelect
                label="Resource"
                value={resource.key}
                onChange={event => setParameters({ resource: event.currentTarget.value })}
                data={resources.map(({ key, label }) => ({ value: key, label }))}
                mb="md"
              />
              <Prices key={resource.key} resource={resource} currency={currency.label} />
            </>
          )
        }}
      </QueryView>
    </>
  )
}

function Prices({ resource, currency }: { resource: Game['resources'][number]; currency: string }) {
  const [range, setRange] = useState<keyof typeof ranges>('quarter')
  const { days, interval } = ranges[range]
  const history = useHistory<PricePoint>('/market/price/history', days, {
    resource: resource.key,
    interval,
  })
  return (
    <>
      {measures.map((measure, index) => (
        <Section
          key={measure.label}
          title={measure.label}
          lead={
            index === 0
              ? `${currency} for one unit: the last price of each ${interval}.`
              : 'Units traded in the 24 hours before that price.'
          }
          action={
            index === 0 && (
              <SegmentedControl
                aria-label="Time range"
                size="xs"
                value={range}
                onChange={value => setRange(value as keyof typeof ranges)}
                data={Object.entries(ranges).map(([value, { label }]) => ({ value, label }))}
              />
            )
          }
        >
          <QueryView query={history} rows={1} rowHeight={270}>
            {points => (
              <Curve
                name={resource.label}
                points={points}
                measure={measure}
                timeOf={({ from }) => from}
                formatTime={interval === 'day' ? formatDay : formatTime}
                timeLabel={interval === 'day' ? 'Day' : 'Hour'}
                gapMs={1.5 * (interval === 'day' ? 86_400_000 : 3_600_000)}
                empty="No prices in this time range."
              />
            )}
          </QueryView>
        </Section>
      ))}
    </>
  )
}
