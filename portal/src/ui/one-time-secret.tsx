import { Text } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'
import classes from './one-time-secret.module.css'

interface Props {
  label: string
  text: string
  copyLabel: string
}

/** A text to copy, such as a secret that is shown only once. */
export function OneTimeSecret({ label, text, copyLabel }: Props) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {label}
      </Text>
      <div className={classes.row}>
        <code className={classes.text}>{text}</code>
        <CopyButton text={text} label={copyLabel} />
      </div>
    </div>
  )
}
