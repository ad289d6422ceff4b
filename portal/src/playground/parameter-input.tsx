import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { InlineCode } from '../ui/inline-code.tsx'
import type { Parameter } from './operations.ts'
import classes from './playground.module.css'

interface Props {
  parameter: Parameter
  value: string
  onChange: (value: string) => void
}

/** An input for a parameter: a select for one of known values, checkboxes for several, text for others. */
export function ParameterInput({ parameter, value, onChange }: Props) {
  const { name, isRequired, example, values, isList, fallback } = parameter
  const description = <InlineCode text={parameter.description} />
  if (values && isList) {
    const selected = value === '' ? [] : value.split(',')
    return (
      <fieldset className={classes.values}>
        <legend>{name}</legend>
        <div className={classes.hint}>{description}</div>
        {values.map(word => (
          <Checkbox
            key={word}
            label={word}
            checked={selected.includes(word)}
            onChange={event => {
              const isChecked = event.currentTarget.checked
              onChange(
                values.filter(other => (other === word ? isChecked : selected.includes(other))).join(','),
              )
            }}
          />
        ))}
      </fieldset>
    )
  }
  if (values)
    return (
      <NativeSelect
        label={name}
        description={description}
        required={isRequired}
        value={value}
        onChange={event => onChange(event.currentTarget.value)}
        data={[{ value: '', label: fallback === '' ? 'Not set' : `Default (${fallback})` }, ...values]}
      />
    )
  return (
    <TextInput
      label={name}
      description={description}
      placeholder={example}
      required={isRequired}
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  )
}
