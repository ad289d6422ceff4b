import classes from './usage.module.css'

/** A status, in the colour of what it means. */
export const StatusCode = ({ status }: { status: number }) => (
  <span className={classes.status} data-kind={status >= 500 ? 'broken' : status >= 400 ? 'refused' : 'good'}>
    {status}
  </span>
)
