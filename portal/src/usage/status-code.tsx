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

/** The parameter that an error is about; one whose name was misspelled ends in `?`. */
export const WrongParameter = ({ name }: { name: string }) =>
  name.endsWith('?') ? (
    <>
      unknown, similar to <code>{name.slice(0, -1)}</code>
    </>
  ) : (
    <code>{name}</code>
  )
