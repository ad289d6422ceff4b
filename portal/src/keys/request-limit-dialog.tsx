import type { AccountKey } from '@chancery/contract'
import { limits } from '@chancery/contract'
import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { useRequestLimit } from './use-keys.ts'

export function RequestLimitDialog({ of: key, onClose }: { of: AccountKey; onClose: () => void }) {
  const ask = useRequestLimit(key.id)
  const [calls, setCalls] = useState(String(key.limit * 2))
  const [sentence, setSentence] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ask.mutate({ calls_per_minute: Number(calls), sentence: sentence.trim() }, { onSuccess: onClose })
  }
  return (
    <Dialog title={`A higher limit for “${key.name}”`} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            It has {key.limit} calls a minute. Say what the bot does with more; the answer appears at the key.
          </Text>
          <TextInput
            type="number"
            label="Calls a minute"
            min={Math.max(limits.keyCalls, key.limit) + 1}
            max={1_000_000}
            required
            withAsterisk={false}
            data-autofocus
            value={calls}
            onChange={event => setCalls(event.currentTarget.value)}
          />
          <Textarea
            label="What for"
            description="A sentence, of 10 to 500 characters."
            required
            withAsterisk={false}
            minLength={10}
            maxLength={500}
            rows={3}
            value={sentence}
            onChange={event => setSentence(event.currentTarget.value)}
          />
          {ask.error && <ErrorNotice error={ask.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={ask.isPending}>
              Ask
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
