import classes from './webhooks.module.css'

/** The response of a receiver, rendered only as text. */
export function UntrustedText({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region has to be reachable by keyboard
    <pre className={classes.untrusted} tabIndex={0}>
      {text}
    </pre>
  )
}
