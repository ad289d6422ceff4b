import type { NewAccountKeyResponse, Scope } from '@chancery/contract'
import { Alert, Button, NativeSelect, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useClock } from '../api/context.ts'
import { Dialog, DialogFooter } from '../ui/dialog.tsx'
import { WarnIcon } from '../ui/icons.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { CreatedKey } from './created-key.tsx'
import { expirations, type KeyLink, keyNameLengthMax } from './key-link.ts'
import { KeyLinkNotice } from './key-link-notice.tsx'
import { privateScopes, ScopeCheckboxes } from './scopes.tsx'
import { useKeyMutations } from './use-keys.ts'

interface Props {
  /** The link that fills in the form. */
  link?: KeyLink | null
  onClose: () => void
}

export function CreateKeyDialog({ link = null, onClose }: Props) {
  const [created, setCreated] = useState<NewAccountKeyResponse | null>(null)
  return (
    <Dialog
      title={created ? 'Key created' : 'Create key'}
      isWide
      isPersistent={created !== null}
      onClose={onClose}
    >
      {created ? (
        <CreatedKey of={created} onDone={onClose} />
      ) : (
        <CreateKeyForm link={link} onCreated={setCreated} onCancel={onClose} />
      )}
    </Dialog>
  )
}

const expiresAt = (days: string, nowMs: number) =>
  days === 'never' ? null : new Date(nowMs + Number(days) * 86_400_000).toISOString()

interface FormProps {
  link: KeyLink | null
  onCreated: (key: NewAccountKeyResponse) => void
  onCancel: () => void
}

function CreateKeyForm({ link, onCreated, onCancel }: FormProps) {
  const info = usePageInfo()
  const clock = useClock()
  const { create } = useKeyMutations()
  const [name, setName] = useState(link?.name ?? '')
  const [scopes, setScopes] = useState<Scope[]>(link?.scopes ?? info.default_scopes)
  const [selectedDays, setSelectedDays] = useState(link?.expiration ?? null)
  const isPrivate = privateScopes(scopes, info).length > 0
  /** What is wrong in the link, until the field is changed. */
  const [problems, setProblems] = useState<KeyLink['problems']>(link?.problems ?? {})
  const days = selectedDays ?? (isPrivate ? '90' : 'never')

  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(
      { name: name.trim(), scopes, expires_at: expiresAt(days, clock.now()) },
      { onSuccess: onCreated },
    )
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {link && <KeyLinkNotice link={link} />}
        <TextInput
          label="Name"
          description="What uses the key, for example “War bot of the Northern Pact”."
          required
          withAsterisk={false}
          maxLength={keyNameLengthMax}
          autoComplete="off"
          data-autofocus={link === null || undefined}
          error={problems.name}
          value={name}
          onChange={event => {
            setName(event.currentTarget.value)
            setProblems({ ...problems, name: undefined })
          }}
        />
        <ScopeCheckboxes
          selected={scopes}
          error={problems.scopes}
          onChange={selected => {
            setScopes(selected)
            setProblems({ ...problems, scopes: undefined })
          }}
        />
        {isPrivate && (
          <Alert
            color="orange"
            variant="light"
            icon={<WarnIcon />}
            title="This key can read your private data"
          >
            So can anyone who has the key. Never paste a key into a chat or into a program that you do not
            trust.
          </Alert>
        )}
        <NativeSelect
          label="Expiration"
          error={problems.expires}
          value={days}
          onChange={event => {
            setSelectedDays(event.currentTarget.value)
            setProblems({ ...problems, expires: undefined })
          }}
          data={expirations}
        />
        <DialogFooter error={create.error} onCancel={onCancel}>
          <Button
            type="submit"
            loading={create.isPending}
            disabled={name.trim() === '' || scopes.length === 0}
          >
            Create
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}
