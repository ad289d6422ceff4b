import type { UsageBucket } from '@chancery/contract'
import { useElementSize } from '@mantine/hooks'
import chartClasses from '../ui/chart.module.css'
import { ChartOrTable } from '../ui/chart-or-table.tsx'
import { ExactTime, formatTime } from '../ui/time.tsx'
import classes from './usage.module.css'

const numbers = new Intl.NumberFormat('en')

interface Props {
  bars: UsageBucket[]
  per: 'minute' | 'hour'
}

/** Requests over time, as a bar chart or a table. */
export function RequestChart({ bars, per }: Props) {
  const requests = bars.reduce((sum, bar) => sum + bar.calls, 0)
  const limited = bars.reduce((sum, bar) => sum + bar.limited, 0)
  const summary = `${numbers.format(requests)} requests, ${numbers.format(limited)} rate limited (429)`
  const rows = bars.filter(bar => bar.calls > 0).toReversed()

  return (
    <>
      <div className={classes.summary}>
        <span>{summary}</span>
        <span className={classes.legend} aria-hidden="true">
          <span data-kind="allowed">Allowed</span>
          <span data-kind="limited">Rate limited</span>
        </span>
      </div>
      <ChartOrTable
        caption={`Requests per ${per}`}
        rows={rows}
        rowKey={({ at }) => at}
        empty="No requests in this time range."
        columns={[
          { label: per === 'minute' ? 'Minute' : 'Hour', render: ({ at }) => <ExactTime time={at} /> },
          { label: 'Requests', render: bar => numbers.format(bar.calls), isNumber: true },
          { label: 'Rate limited', render: bar => numbers.format(bar.limited), isNumber: true },
        ]}
      >
        <BarChart bars={bars} per={per} label={`Requests per ${per}: ${summary}`} />
      </ChartOrTable>
    </>
  )
}

const height = 200
const bottom = 22
const left = 44
const plotHeight = height - bottom - 8

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const compact = new Intl.NumberFormat('en', { notation: 'compact' })

/** `label` is the text alternative. */
function BarChart({ bars, per, label }: Props & { label: string }) {
  // Drawn at the element's size: a scaled drawing would have unreadable labels on a phone.
  const frame = useElementSize()
  const width = frame.width || 720
  const top = axisMaximum(Math.max(0, ...bars.map(bar => bar.calls)))
  const slot = (width - left) / Math.max(1, bars.length)
  const gap = Math.min(2, slot * 0.25)
  const yOf = (requests: number) => 8 + plotHeight * (1 - requests / top)
  const barsPerTick = (per === 'minute' ? 15 : 24) * (width < 420 ? 2 : 1)

  return (
    <div ref={frame.ref} className={`${chartClasses.chart} ${classes.chart}`}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        {[0, 0.5, 1].map(share => (
          <g key={share}>
            <line
              x1={left}
              x2={width}
              y1={yOf(top * share)}
              y2={yOf(top * share)}
              className={chartClasses.grid}
            />
            <text x={left - 6} y={yOf(top * share) + 4} textAnchor="end" className={chartClasses.tick}>
              {compact.format(top * share)}
            </text>
          </g>
        ))}
        {bars.map(({ at, calls, limited }, index) => {
          const x = left + index * slot + gap / 2
          const size = { x, width: slot - gap }
          return (
            <g key={at}>
              <rect {...size} y={yOf(calls)} height={yOf(limited) - yOf(calls)} className={classes.allowed} />
              <rect {...size} y={yOf(limited)} height={yOf(0) - yOf(limited)} className={classes.limited} />
              {/* The tooltip covers the whole column, so that short bars can be pointed at. */}
              <rect x={left + index * slot} y={8} width={slot} height={plotHeight} fill="transparent">
                <title>{`${formatTime(at)}: ${calls} requests, ${limited} rate limited (429)`}</title>
              </rect>
              {index % barsPerTick === 0 && (
                <text x={x} y={height - 5} className={chartClasses.tick}>
                  {per === 'minute' ? clock.format(new Date(at)) : day.format(new Date(at))}
                </text>
              )}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

/** The next round number from the highest value. */
function axisMaximum(highest: number): number {
  if (highest <= 4) return 4
  const magnitude = 10 ** Math.floor(Math.log10(highest))
  const step = [1, 2, 4, 5, 10].find(factor => factor * magnitude >= highest) ?? 10
  return step * magnitude
}
