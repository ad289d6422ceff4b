import type { Scope } from '@chancery/contract'
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { useApiMutation, useClock, useRequest } from '../api/context.ts'
import { ScopeCheckboxes } from '../keys/scopes.tsx'
import { useAnnounce } from '../ui/announcer.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import classes from './playground.module.css'

export interface SelectedKey {
  isUsed: boolean
  /** Empty until one is entered or created. */
  key: string
  /** When the key expires, if it was created here. */
  temporaryUntil: string | null
}

/** Whether a text can be a key: all other characters are invalid in a header. */
export const isKeyText = (text: string) => /^[\x21-\x7e]+$/.test(text)

interface Props {
  selected: SelectedKey
  onChange: (selected: SelectedKey) => void
}

/** Selects whether requests are anonymous or use a key. The key is never shown. */
export function KeySelect({ selected, onChange }: Props) {
  return (
    <>
      <NativeSelect
        label="Authentication"
        value={selected.isUsed ? 'key' : 'anonymous'}
        onChange={event => onChange({ ...selected, isUsed: event.currentTarget.value === 'key' })}
        data={[
          { value: 'anonymous', label: 'Anonymous' },
          { value: 'key', label: 'API key' },
        ]}
      />
      {selected.isUsed &&
        (selected.temporaryUntil === null ? (
          <>
            <TextInput
              type="password"
              label="Key"
              description="Paste one of your keys. It is discarded when you leave this page."
              autoComplete="off"
              spellCheck={false}
              error={
                selected.key !== '' &&
                !isKeyText(selected.key) &&
                'A key must not contain spaces or accented letters.'
              }
              value={selected.key}
              onChange={event => onChange({ ...selected, key: event.currentTarget.value.trim() })}
            />
            <CreateTemporaryKey
              onCreated={(key, temporaryUntil) => onChange({ isUsed: true, key, temporaryUntil })}
            />
          </>
        ) : (
          <TemporaryKey
            until={selected.temporaryUntil}
            onClear={() => onChange({ isUsed: true, key: '', temporaryUntil: null })}
          />
        ))}
    </>
  )
}

const lifetimeMs = 3_600_000

/** Creates a key of the player that expires within an hour. */
function CreateTemporaryKey({ onCreated }: { onCreated: (key: string, expiresAt: string) => void }) {
  const request = useRequest()
  const clock = useClock()
  const announce = useAnnounce()
  const [scopes, setScopes] = useState<Scope[]>(['nation.read'])
  const create = useApiMutation(async () => {
    const expiresAt = new Date(clock.now() + lifetimeMs).toISOString()
    const { key } = await request('POST /keys', {
      body: { name: 'Playground', scopes, expires_at: expiresAt },
    })
    // Not returned: the result of a mutation stays in the mutation cache.
    onCreated(key, expiresAt)
    announce('Created a temporary key.')
  }, ['keys'])
  return (
    <div className={classes.createKey}>
      <Stack gap="sm" align="start">
        <p className={classes.hint}>
          Or create a temporary key. It is listed with your other keys as “Playground”, and expires after an
          hour.
        </p>
        <ScopeCheckboxes selected={scopes} onChange={setScopes} />
        {create.error && <ErrorNotice error={create.error} />}
        <Button
          variant="default"
          loading={create.isPending}
          disabled={scopes.length === 0}
          onClick={() => create.mutate()}
        >
          Create temporary key
        </Button>
      </Stack>
    </div>
  )
}

const clockTime = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })

function TemporaryKey({ until, onClear }: { until: string; onClear: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  // Takes the focus if it was lost with the form that created the key.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) button.current?.focus()
  }, [])
  return (
    <Group gap="sm">
      <Text size="sm">
        Requests use a temporary key that expires at {clockTime.format(new Date(until))}. It is discarded when
        you leave this page.
      </Text>
      <Button ref={button} size="xs" variant="default" onClick={onClear}>
        Use another key
      </Button>
    </Group>
  )
}
