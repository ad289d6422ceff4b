import { Checkbox, Text } from '@mantine/core'
import { usePageInfo } from '../ui/use-page-info.ts'
import { type EventFamily, groupByFamily, toggleType } from './event-families.ts'
import classes from './webhooks.module.css'

interface Props {
  /** Kinds and families; null for all there are. */
  types: string[] | null
  onChange: (types: string[] | null) => void
}

export function EventPicker({ types, onChange }: Props) {
  const { event_kinds } = usePageInfo()
  return (
    <div>
      <Checkbox
        label="Every kind of event"
        description="Also kinds that come later."
        checked={types === null}
        onChange={event => onChange(event.currentTarget.checked ? null : [])}
      />
      {types !== null && (
        <>
          {types.length === 0 && (
            <Text size="sm" c="dimmed" mt="sm">
              Choose at least one.
            </Text>
          )}
          <div className={classes.families}>
            {groupByFamily(event_kinds).map(family => (
              <EventFamilyPicker key={family.name} family={family} types={types} onChange={onChange} />
            ))}
          </div>
        </>
      )}
    </div>
  )
}

interface FamilyProps {
  family: EventFamily
  types: string[]
  onChange: (types: string[]) => void
}

function EventFamilyPicker({ family, types, onChange }: FamilyProps) {
  const isWhole = types.includes(family.wildcard)
  return (
    <fieldset className={classes.family}>
      <legend>{family.name}</legend>
      <Checkbox
        label={`All of ${family.name}`}
        description={`${family.wildcard}: also kinds that come later`}
        checked={isWhole}
        onChange={event => onChange(toggleType(types, family, family.wildcard, event.currentTarget.checked))}
      />
      {family.eventKinds.map(({ type, description, sample }) => (
        <div key={type}>
          <Checkbox
            label={type}
            description={description}
            checked={isWhole || types.includes(type)}
            disabled={isWhole}
            onChange={event => onChange(toggleType(types, family, type, event.currentTarget.checked))}
          />
          <details className={classes.sample}>
            <summary>
              Sample<span className={classes.hidden}> of {type}</span>
            </summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
            <pre tabIndex={0}>{JSON.stringify(sample, null, 2)}</pre>
          </details>
        </div>
      ))}
    </fieldset>
  )
}
