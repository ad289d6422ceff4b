import type { Scope } from '@chancery/contract'
import { Checkbox } from '@mantine/core'
import { usePageInfo } from '../ui/use-page-info.ts'
import classes from './keys.module.css'

interface Props {
  chosen: Scope[]
  onChange: (chosen: Scope[]) => void
}

/** What a new key may read. The chosen ones stay in the order of the list. */
export function ScopeChoices({ chosen, onChange }: Props) {
  const { scopes } = usePageInfo()
  const toggle = (scope: Scope, isOn: boolean) =>
    onChange(scopes.map(({ name }) => name).filter(name => (name === scope ? isOn : chosen.includes(name))))
  return (
    <fieldset className={classes.choices}>
      <legend>What it may read</legend>
      {scopes.map(({ name, description }) => (
        <Checkbox
          key={name}
          label={name}
          description={description}
          checked={chosen.includes(name)}
          onChange={event => toggle(name, event.currentTarget.checked)}
        />
      ))}
    </fieldset>
  )
}
