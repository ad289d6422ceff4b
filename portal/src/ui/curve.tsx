import classes from './chart.module.css'
import { ChartOrTable } from './chart-or-table.tsx'
import { CurveChart } from './curve-chart.tsx'
import { Empty } from './section.tsx'

/** What of the points is drawn. */
export interface Measure<Point> {
  label: string
  /** Undefined where it is not known. */
  valueOf: (point: Point) => number | undefined
  isInverted?: boolean
  isWhole?: boolean
}

interface Props<Point> {
  /** What has developed: the name of a nation. */
  name: string
  points: Point[]
  measure: Measure<Point>
  /** When a point begins, as an ISO time or date. */
  timeOf: (point: Point) => string
  formatTime: (time: string) => string
  timeLabel: string
  gapMs: number
  empty: string
}

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 8 })

/** The development of one number, as a chart or a table. */
export function Curve<Point>(props: Props<Point>) {
  const { name, points, measure, timeOf, formatTime, timeLabel, gapMs, empty } = props
  const known = points.flatMap(point => {
    const value = measure.valueOf(point)
    const time = timeOf(point)
    return value === undefined
      ? []
      : [{ at: Date.parse(time), value, time, text: `${formatTime(time)}: ${numbers.format(value)}` }]
  })
  const [oldest, newest] = [known[0], known.at(-1)]
  if (!oldest || !newest) return <Empty>{empty}</Empty>
  const values = known.map(({ value }) => value)
  const [lowest, highest] = [Math.min(...values), Math.max(...values)].map(value => numbers.format(value))
  const summary =
    oldest === newest
      ? newest.text
      : `${newest.text}. Between ${lowest} and ${highest} since ${formatTime(oldest.time)}.`
  return (
    <>
      <p className={classes.summary}>{summary}</p>
      <ChartOrTable
        caption={`${measure.label} of ${name}`}
        rows={known.toReversed()}
        rowKey={({ time }) => time}
        empty={empty}
        columns={[
          { label: timeLabel, render: ({ time }) => <time dateTime={time}>{formatTime(time)}</time> },
          { label: measure.label, render: ({ value }) => numbers.format(value), isNumber: true },
        ]}
      >
        <CurveChart
          points={known}
          label={`${measure.label} of ${name}: ${summary}`}
          gapMs={gapMs}
          isInverted={measure.isInverted}
          isWhole={measure.isWhole}
        />
      </ChartOrTable>
    </>
  )
}
