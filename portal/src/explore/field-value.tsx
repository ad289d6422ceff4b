import classes from './explore.module.css'
import type { FieldCell } from './views.ts'

/** A value as the API writes it, or that this viewer does not get it. */
export function FieldValue({ cell }: { cell: FieldCell }) {
  if (!cell.isShown) return <span className={classes.withheld}>Withheld</span>
  const { value } = cell
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    return <pre className={classes.json}>{JSON.stringify(value, null, 2)}</pre>
  return <code className={classes.value}>{JSON.stringify(value)}</code>
}
