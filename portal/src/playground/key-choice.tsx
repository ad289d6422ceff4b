import { NativeSelect, TextInput } from '@mantine/core'
import { TemporaryKey } from './made-key.tsx'
import { CreateTemporaryKey } from './make-key.tsx'

export interface SelectedKey {
  isUsed: boolean
  /** Empty until there is one. */
  key: string
  /** When it expires, if it was made here. */
  temporaryUntil: string | null
}

/** Nothing else can stand in a header, and no key has anything else. */
export const isKeyText = (text: string) => /^[\x21-\x7e]+$/.test(text)

interface Props {
  held: SelectedKey
  onChange: (held: SelectedKey) => void
}

/** Who asks. A key is never shown. */
export function KeyChoice({ held, onChange }: Props) {
  return (
    <>
      <NativeSelect
        label="Who asks"
        value={held.isUsed ? 'key' : 'nobody'}
        onChange={event => onChange({ ...held, isUsed: event.currentTarget.value === 'key' })}
        data={[
          { value: 'nobody', label: 'Nobody (no key)' },
          { value: 'key', label: 'A key of mine' },
        ]}
      />
      {held.isUsed &&
        (held.temporaryUntil === null ? (
          <KeyEntry held={held} onChange={onChange} />
        ) : (
          <TemporaryKey
            until={held.temporaryUntil}
            onDrop={() => onChange({ isUsed: true, key: '', temporaryUntil: null })}
          />
        ))}
    </>
  )
}

function KeyEntry({ held, onChange }: Props) {
  return (
    <>
      <TextInput
        type="password"
        label="Key"
        description="Paste one of yours. This page forgets it when you leave."
        autoComplete="off"
        spellCheck={false}
        error={
          held.key !== '' && !isKeyText(held.key) && 'A key has neither spaces nor letters with accents.'
        }
        value={held.key}
        onChange={event => onChange({ ...held, key: event.currentTarget.value.trim() })}
      />
      <CreateTemporaryKey
        onCreated={(key, madeUntil) => onChange({ isUsed: true, key, temporaryUntil: madeUntil })}
      />
    </>
  )
}
