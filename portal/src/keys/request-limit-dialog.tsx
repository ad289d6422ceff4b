import { type AccountKey, limits } from '@chancery/contract'
import { Button, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Dialog, DialogFooter } from '../ui/dialog.tsx'
import { useKeyMutations } from './use-keys.ts'

export function RequestLimitDialog({ of: key, onClose }: { of: AccountKey; onClose: () => void }) {
  const { requestLimit } = useKeyMutations()
  const [limit, setLimit] = useState(String(key.limit * 2))
  const [reason, setReason] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    requestLimit.mutate(
      { id: key.id, calls_per_minute: Number(limit), sentence: reason.trim() },
      { onSuccess: onClose },
    )
  }
  return (
    <Dialog title={`Request a higher limit for “${key.name}”`} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            The current limit is {key.limit.toLocaleString('en')} requests per minute. The operator’s reply
            appears on the key.
          </Text>
          <TextInput
            type="number"
            label="Requests per minute"
            min={Math.max(limits.keyCalls, key.limit) + 1}
            max={1_000_000}
            required
            withAsterisk={false}
            data-autofocus
            value={limit}
            onChange={event => setLimit(event.currentTarget.value)}
          />
          <Textarea
            label="Reason"
            description="What the bot needs a higher limit for, in 10 to 500 characters."
            required
            withAsterisk={false}
            minLength={10}
            maxLength={500}
            rows={3}
            value={reason}
            onChange={event => setReason(event.currentTarget.value)}
          />
          <DialogFooter error={requestLimit.error} onCancel={onClose}>
            <Button type="submit" loading={requestLimit.isPending}>
              Send request
            </Button>
          </DialogFooter>
        </Stack>
      </form>
    </Dialog>
  )
}
