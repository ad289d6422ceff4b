import { useElementSize } from '@mantine/hooks'
import { axisTicks } from './axis.ts'
import classes from './chart.module.css'

export interface CurvePoint {
  /** Milliseconds since 1970. */
  at: number
  value: number
  /** Shown as the tooltip. */
  text: string
}

interface Props {
  points: CurvePoint[]
  /** The text alternative. */
  label: string
  /** The line is interrupted where two points are further apart. */
  gapMs: number
  /** Whether lower values are drawn higher, as ranks are. */
  isInverted?: boolean | undefined
  /** Whether all values are whole numbers. */
  isWhole?: boolean | undefined
}

const height = 200
const bottom = 22
const top = 8
const left = 52
const plotHeight = height - bottom - top

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** A value over time as a line. */
export function CurveChart({ points, label, gapMs, isInverted = false, isWhole = false }: Props) {
  // Drawn at the element's size: a scaled drawing would have unreadable labels on a phone.
  const frame = useElementSize()
  const width = frame.width || 720
  const values = points.map(({ value }) => value)
  const ticks = axisTicks(Math.min(...values), Math.max(...values), isWhole)
  const [lowest, highest] = [ticks[0] ?? 0, ticks.at(-1) ?? 1]
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0]

  const xOf = (at: number) =>
    first === last ? (left + width) / 2 : left + ((width - left - 4) * (at - first)) / (last - first)
  const yOf = (value: number) => {
    const share = (value - lowest) / (highest - lowest)
    return top + plotHeight * (isInverted ? share : 1 - share)
  }
  const lines = linesOf(points, gapMs)
  const slot = Math.max(1, (width - left) / points.length)

  return (
    <div ref={frame.ref} className={classes.chart}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        {ticks.map(tick => (
          <g key={tick}>
            <line x1={left} x2={width} y1={yOf(tick)} y2={yOf(tick)} className={classes.grid} />
            <text x={left - 6} y={yOf(tick) + 4} textAnchor="end" className={classes.tick}>
              {compact.format(tick)}
            </text>
          </g>
        ))}
        {datesBetween(first, last, width < 420 ? 3 : 6).map(at => (
          <text
            key={at}
            x={xOf(at)}
            y={height - 5}
            textAnchor={anchorOf(at, first, last)}
            className={classes.tick}
          >
            {day.format(at)}
          </text>
        ))}
        {lines.map(line => (
          <polyline
            key={line[0]?.at}
            points={line.map(({ at, value }) => `${xOf(at)},${yOf(value)}`).join(' ')}
            className={classes.curve}
          />
        ))}
        {points.map(({ at, value, text }) => (
          <g key={at} className={classes.slot}>
            {/* The tooltip covers the whole height, so that a thin line can be pointed at. */}
            <rect x={xOf(at) - slot / 2} y={top} width={slot} height={plotHeight} fill="transparent">
              <title>{text}</title>
            </rect>
            <circle
              cx={xOf(at)}
              cy={yOf(value)}
              r={3.5}
              className={`${classes.point} ${lines.some(line => line.length === 1 && line[0]?.at === at) ? classes.alone : ''}`}
            />
          </g>
        ))}
      </svg>
    </div>
  )
}

/** The points without interruptions. */
function linesOf(points: readonly CurvePoint[], gapMs: number): CurvePoint[][] {
  const lines: CurvePoint[][] = []
  for (const point of points) {
    const line = lines.at(-1)
    const before = line?.at(-1)
    if (line && before && point.at - before.at <= gapMs) line.push(point)
    else lines.push([point])
  }
  return lines
}

const dayMs = 86_400_000

/** Days, in UTC, at equal distances; at most `count`. */
function datesBetween(first: number, last: number, count: number): number[] {
  const begin = Math.ceil(first / dayMs)
  const days = Math.floor(last / dayMs) - begin
  const step = Math.max(1, Math.ceil((days + 1) / count))
  return Array.from({ length: Math.floor(days / step) + 1 }, (_, index) => (begin + index * step) * dayMs)
}

const anchorOf = (at: number, first: number, last: number) => {
  const share = last === first ? 0.5 : (at - first) / (last - first)
  return share < 0.05 ? 'start' : share > 0.95 ? 'end' : 'middle'
}
