import { formatCountdown } from '../ui/format-time.ts'
import classes from './verify-page.module.css'

const radius = 42
const around = 2 * Math.PI * radius

/** What is left of a code's life. As a timer it is not read out at each second. */
export function CountdownRing({ leftMs, wholeMs }: { leftMs: number; wholeMs: number }) {
  const share = Math.min(1, Math.max(0, leftMs / wholeMs))
  return (
    <div className={classes.ring} role="timer" aria-label="Time left">
      <svg viewBox="0 0 96 96" aria-hidden="true">
        <circle className={classes.track} cx="48" cy="48" r={radius} fill="none" strokeWidth="7" />
        <circle
          className={classes.left}
          cx="48"
          cy="48"
          r={radius}
          fill="none"
          strokeWidth="7"
          strokeLinecap="round"
          strokeDasharray={around}
          strokeDashoffset={around * (1 - share)}
          transform="rotate(-90 48 48)"
        />
      </svg>
      <span className={classes.time}>{formatCountdown(leftMs)}</span>
    </div>
  )
}
