import classes from './webhooks.module.css'

/** A text of others, such as the response of a receiver, rendered only as text. */
export function UntrustedText({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region has to be reachable by keyboard
    <section className={classes.untrusted} tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  )
}
