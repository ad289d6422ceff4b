import type { NewAccountKeyResponse, Scope } from '@chancery/contract'
import { Alert, Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useClock } from '../api/context.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { WarnIcon } from '../ui/icons.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { expiries, expiryAfter } from './expiries.ts'
import { privateScopes } from './key-status.ts'
import { ScopeChoices } from './scope-choices.tsx'
import { useCreateKey } from './use-keys.ts'

interface Props {
  onCreated: (key: NewAccountKeyResponse) => void
  onCancel: () => void
}

export function CreateKeyForm({ onCreated, onCancel }: Props) {
  const info = usePageInfo()
  const clock = useClock()
  const create = useCreateKey()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<Scope[]>(info.default_scopes)
  const [chosenDays, setChosenDays] = useState<string | null>(null)
  const readsSecrets = privateScopes(scopes, info).length > 0
  const days = chosenDays ?? (readsSecrets ? '90' : 'never')

  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(
      { name: name.trim(), scopes, expires_at: expiryAfter(days, clock.now()) },
      { onSuccess: onCreated },
    )
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="What uses it: “War bot of the Northern Pact”."
          required
          withAsterisk={false}
          maxLength={100}
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={event => setName(event.currentTarget.value)}
        />
        <ScopeChoices chosen={scopes} onChange={setScopes} />
        {readsSecrets && (
          <Alert color="orange" variant="light" icon={<WarnIcon />} title="This key reads your secrets">
            Whoever has it reads them too. Never paste a key into a chat, nor into a program that you do not
            trust.
          </Alert>
        )}
        <NativeSelect
          label="Expires"
          value={days}
          onChange={event => setChosenDays(event.currentTarget.value)}
          data={expiries}
        />
        {create.error && <ErrorNotice error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={create.isPending}
            disabled={name.trim() === '' || scopes.length === 0}
          >
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
