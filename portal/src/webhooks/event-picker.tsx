import type { PageInfo } from '@chancery/contract'
import { Checkbox } from '@mantine/core'
import { usePageInfo } from '../ui/use-page-info.ts'
import classes from './webhooks.module.css'

interface Props {
  /** Event kinds and wildcards of families; null for all. */
  types: string[] | null
  error: string | undefined
  onChange: (types: string[] | null) => void
}

export function EventPicker({ types, error, onChange }: Props) {
  const { event_kinds } = usePageInfo()
  return (
    <div>
      <Checkbox
        label="All events"
        description="Includes event kinds that are added later."
        checked={types === null}
        error={error}
        onChange={event => onChange(event.currentTarget.checked ? null : [])}
      />
      {types !== null && (
        <div className={classes.families}>
          {[...Map.groupBy(event_kinds, ({ type }) => type.split('.', 1)[0] ?? type)].map(([name, kinds]) => (
            <EventFamily key={name} name={name} kinds={kinds} types={types} onChange={onChange} />
          ))}
        </div>
      )}
    </div>
  )
}

interface EventFamilyProps {
  /** The part of the event kinds before the first dot, such as `war`. */
  name: string
  kinds: PageInfo['event_kinds']
  types: string[]
  onChange: (types: string[]) => void
}

function EventFamily({ name, kinds, types, onChange }: EventFamilyProps) {
  const wildcard = `${name}.*`
  const hasWildcard = types.includes(wildcard)
  const toggle = (type: string, isChecked: boolean) => {
    if (!isChecked) return onChange(types.filter(other => other !== type))
    // The wildcard replaces the kinds of its family.
    const replaced = type === wildcard ? kinds.map(kind => kind.type) : []
    onChange([...types.filter(other => !replaced.includes(other)), type])
  }
  return (
    <fieldset className={classes.family}>
      <legend>{name}</legend>
      <Checkbox
        label={`All ${name} events`}
        description={`${wildcard}: includes kinds that are added later`}
        checked={hasWildcard}
        onChange={event => toggle(wildcard, event.currentTarget.checked)}
      />
      {kinds.map(({ type, description, sample }) => (
        <div key={type}>
          <Checkbox
            label={type}
            description={description}
            checked={hasWildcard || types.includes(type)}
            disabled={hasWildcard}
            onChange={event => toggle(type, event.currentTarget.checked)}
          />
          <details className={classes.sample}>
            <summary>
              Sample<span className={classes.visuallyHidden}> of {type}</span>
            </summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region has to be reachable by keyboard */}
            <pre tabIndex={0}>{JSON.stringify(sample, null, 2)}</pre>
          </details>
        </div>
      ))}
    </fieldset>
  )
}
