import type { Contract, PublicOf } from '@chancery/contract'
import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import type { ResourceName } from '../api/resources.ts'
import classes from '../ui/chart.module.css'
import { Curve, type Measure } from '../ui/curve.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Section } from '../ui/section.tsx'
import { formatDay } from '../ui/time.tsx'
import { useHistory } from '../ui/use-history.ts'

type Resources = Contract['resources']
type NationPoint = PublicOf<Resources['nation_history_point']>
type AlliancePoint = PublicOf<Resources['alliance_history_point']>

const rank = {
  label: 'Rank',
  valueOf: (point: { rank: number }) => point.rank,
  isInverted: true,
  isWhole: true,
}
const nationMeasures: Measure<NationPoint>[] = [
  { label: 'Score', valueOf: point => point.national_score },
  rank,
  { label: 'Cities', valueOf: point => point.city_count ?? undefined, isWhole: true },
]
const allianceMeasures: Measure<AlliancePoint>[] = [
  { label: 'Score', valueOf: point => point.total_score },
  rank,
  { label: 'Members', valueOf: point => point.member_count, isWhole: true },
]

/** How a nation or an alliance has developed, for everyone to see. */
export const History = ({ resource, id, name }: { resource: ResourceName; id: string; name: string }) =>
  resource === 'nation' ? (
    <Points name={name} path={`/nations/${id}/history`} measures={nationMeasures} />
  ) : (
    <Points name={name} path={`/alliances/${id}/history`} measures={allianceMeasures} />
  )

const ranges = [
  { days: 30, label: '30 days' },
  { days: 90, label: '90 days' },
  { days: 400, label: '400 days' },
]

interface PointsProps<Point> {
  name: string
  path: string
  measures: Measure<Point>[]
}

function Points<Point extends { date: string }>({ name, path, measures }: PointsProps<Point>) {
  const [days, setDays] = useState(90)
  const [label, setLabel] = useState('Score')
  const history = useHistory<Point>(path, days)
  const measure = measures.find(one => one.label === label)
  return (
    <Section
      title={
        <>
          History of <bdi>{name}</bdi>
        </>
      }
      lead="One point a day, for everyone to read. A day in UTC is added after its end."
      action={
        <div className={classes.options}>
          <SegmentedControl
            aria-label="Number"
            size="xs"
            value={label}
            onChange={setLabel}
            data={measures.map(one => one.label)}
          />
          <SegmentedControl
            aria-label="Time range"
            size="xs"
            value={`${days}`}
            onChange={value => setDays(Number(value))}
            data={ranges.map(range => ({ value: `${range.days}`, label: range.label }))}
          />
        </div>
      }
    >
      <QueryView query={history} rows={1} rowHeight={270}>
        {points =>
          measure && (
            <Curve
              name={name}
              points={points}
              measure={measure}
              timeOf={({ date }) => date}
              formatTime={formatDay}
              timeLabel="Day"
              gapMs={1.5 * 86_400_000}
              empty="No points in this time range."
            />
          )
        }
      </QueryView>
    </Section>
  )
}
