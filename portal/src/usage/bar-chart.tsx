import type { UsageBucket } from '@chancery/contract'
import { useElementSize } from '@mantine/hooks'
import { formatTime } from '../ui/format-time.ts'
import { roundUp } from './round-up.ts'
import classes from './usage.module.css'

const height = 200
const bottom = 22
const left = 44
const plotHeight = height - bottom - 8

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const compact = new Intl.NumberFormat('en', { notation: 'compact' })

interface Props {
  bars: UsageBucket[]
  per: 'minute' | 'hour'
  /** What the picture says, for those who do not see it. */
  label: string
}

export function BarChart({ bars, per, label }: Props) {
  // Drawn at its size on the screen: scaled, its words would be too small to read on a phone.
  const frame = useElementSize()
  const width = frame.width || 720
  const top = roundUp(Math.max(0, ...bars.map(bar => bar.calls)))
  const slot = (width - left) / Math.max(1, bars.length)
  const gap = Math.min(2, slot * 0.25)
  const yOf = (calls: number) => 8 + plotHeight * (1 - calls / top)
  const marked = (per === 'minute' ? 15 : 24) * (width < 420 ? 2 : 1)

  return (
    <div ref={frame.ref} className={classes.chart}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        {[0, 0.5, 1].map(share => (
          <g key={share}>
            <line x1={left} x2={width} y1={yOf(top * share)} y2={yOf(top * share)} className={classes.grid} />
            <text x={left - 6} y={yOf(top * share) + 4} textAnchor="end" className={classes.tick}>
              {compact.format(top * share)}
            </text>
          </g>
        ))}
        {bars.map(({ at, calls, limited }, index) => {
          const x = left + index * slot + gap / 2
          const size = { x, width: slot - gap }
          return (
            <g key={at}>
              <rect
                {...size}
                y={yOf(calls)}
                height={yOf(limited) - yOf(calls)}
                className={classes.answered}
              />
              <rect {...size} y={yOf(limited)} height={yOf(0) - yOf(limited)} className={classes.limited} />
              {/* The whole column answers to the pointer, however small its bar. */}
              <rect x={left + index * slot} y={8} width={slot} height={plotHeight} fill="transparent">
                <title>{`${formatTime(at)}: ${calls} calls, ${limited} refused with 429`}</title>
              </rect>
              {index % marked === 0 && (
                <text x={x} y={height - 5} className={classes.tick}>
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
