import classes from './webhooks.module.css'

/** What a receiver answered: a stranger's text, and never anything but text. */
export function UntrustedText({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <pre className={classes.answer} tabIndex={0}>
      {text}
    </pre>
  )
}
