import { Button, TextInput } from '@mantine/core'
import { useNation } from '../session/use-session.ts'
import classes from './webhooks.module.css'

interface Props {
  kind: 'nation' | 'alliance'
  value: string
  onChange: (value: string) => void
}

/** Ids of nations or alliances, with the player's own at hand. */
export function IdsInput({ kind, value, onChange }: Props) {
  const nation = useNation()
  const own = kind === 'nation' ? nation?.nation_id : nation?.alliance?.alliance_id
  const hasOwn = own !== undefined && value.split(/[\s,;]+/).includes(own)
  return (
    <div className={classes.ids}>
      <TextInput
        label={`Only about these ${kind}s (optional)`}
        description="Ids, separated by spaces. An event has to be about one of them."
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={event => onChange(event.currentTarget.value)}
      />
      {own !== undefined && !hasOwn && (
        <Button variant="default" onClick={() => onChange(`${value} ${own}`.trim())}>
          Add my {kind}
        </Button>
      )}
    </div>
  )
}
