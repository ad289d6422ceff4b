import type { PageInfo, Scope } from '@chancery/contract'
import { Badge, Checkbox, Input } from '@mantine/core'
import { useId } from 'react'
import { usePageInfo } from '../ui/use-page-info.ts'
import { attributeLabel } from './key-link.ts'
import classes from './keys.module.css'

/** The scopes that grant access to private data. */
export const privateScopes = (scopes: Scope[], info: PageInfo) =>
  scopes.filter(name => info.scopes.some(scope => scope.name === name && scope.is_private))

/** Scopes as badges; those that grant access to private data are highlighted. */
export function ScopeBadges({ scopes }: { scopes: Scope[] }) {
  const info = usePageInfo()
  const known = new Map(info.scopes.map(scope => [scope.name, scope]))
  return (
    <div className={classes.scopes}>
      {scopes.map(name => (
        <Badge
          key={name}
          variant="light"
          color={known.get(name)?.is_private ? 'orange' : 'gray'}
          tt="none"
          title={known.get(name)?.description}
        >
          {name}
        </Badge>
      ))}
    </div>
  )
}

interface Props {
  selected: Scope[]
  error?: string | undefined
  onChange: (selected: Scope[]) => void
}

/** Checkboxes for the scopes of a new key. The selection keeps the order of the list. */
export function ScopeCheckboxes({ selected, error, onChange }: Props) {
  const { scopes } = usePageInfo()
  const errorId = useId()
  const toggle = (scope: Scope, isChecked: boolean) =>
    onChange(
      scopes.map(({ name }) => name).filter(name => (name === scope ? isChecked : selected.includes(name))),
    )
  return (
    <fieldset className={classes.scopeCheckboxes} aria-describedby={error ? errorId : undefined}>
      <legend>Scopes</legend>
      {error && <Input.Error id={errorId}>{error}</Input.Error>}
      {scopes.map(({ name, description, attributes }) => (
        <Checkbox
          key={name}
          label={name}
          description={
            attributes.length > 0
              ? `${description} Also ${attributes.map(attributeLabel).join(', ')}.`
              : description
          }
          checked={selected.includes(name)}
          onChange={event => toggle(name, event.currentTarget.checked)}
        />
      ))}
    </fieldset>
  )
}
