import classes from './usage.module.css'

/** An HTTP status, coloured by its class. */
export const StatusCode = ({ status }: { status: number }) => (
  <span
    className={classes.status}
    data-kind={status >= 500 ? 'server-error' : status >= 400 ? 'client-error' : 'success'}
  >
    {status}
  </span>
)
