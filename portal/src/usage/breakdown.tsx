import { Empty } from '../ui/section.tsx'
import classes from './usage.module.css'

const numbers = new Intl.NumberFormat('en')
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

interface BreakdownItem {
  name: string
  calls: number
  isRefusal?: boolean
}

/** How calls divide, most first. */
export function Breakdown({ caption, shares }: { caption: string; shares: BreakdownItem[] }) {
  const whole = shares.reduce((sum, { calls }) => sum + calls, 0)
  if (whole === 0) return <Empty>No calls.</Empty>
  return (
    <ul className={classes.shares} aria-label={caption}>
      {shares.map(({ name, calls, isRefusal }) => (
        <li key={name}>
          <span className={classes.shareName}>{name}</span>
          <span className={classes.shareNumber}>
            {numbers.format(calls)} · {percent.format(calls / whole)}
          </span>
          <svg viewBox="0 0 100 4" preserveAspectRatio="none" className={classes.meter} aria-hidden="true">
            <rect width="100" height="4" className={classes.meterTrack} />
            <rect
              width={(100 * calls) / whole}
              height="4"
              className={isRefusal ? classes.limited : classes.answered}
            />
          </svg>
        </li>
      ))}
    </ul>
  )
}
