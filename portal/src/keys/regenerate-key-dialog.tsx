import { type AccountKey, limits, type NewAccountKeyResponse } from '@chancery/contract'
import { Button, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Dialog, DialogFooter } from '../ui/dialog.tsx'
import { CreatedKey } from './created-key.tsx'
import { prefixOf, useKeyMutations } from './use-keys.ts'

const overlaps = [0, 1, 6, 12, limits.keyOverlapHoursMax].map(hours => ({
  value: String(hours),
  label: hours === 0 ? 'Immediately' : hours === 1 ? 'In 1 hour' : `In ${hours} hours`,
}))

export function RegenerateKeyDialog({ of: key, onClose }: { of: AccountKey; onClose: () => void }) {
  const { regenerate } = useKeyMutations()
  const [hours, setHours] = useState(String(limits.keyOverlapHoursMax))
  const [created, setCreated] = useState<NewAccountKeyResponse | null>(null)
  return (
    <Dialog
      title={created ? 'Key created' : `Regenerate “${key.name}” (${prefixOf(key)})`}
      isWide
      isPersistent={created !== null}
      onClose={onClose}
    >
      {created ? (
        <CreatedKey of={created} onDone={onClose} />
      ) : (
        <Stack>
          <Text>
            Creates a new key with the same name, scopes and rate limit. The old key keeps working until it
            expires, so that you can switch. A pending request for a higher limit moves to the new key.
          </Text>
          <NativeSelect
            label="Old key expires"
            data={overlaps}
            value={hours}
            onChange={event => setHours(event.currentTarget.value)}
            data-autofocus
          />
          <DialogFooter error={regenerate.error} onCancel={onClose}>
            <Button
              loading={regenerate.isPending}
              onClick={() =>
                regenerate.mutate({ id: key.id, overlapHours: Number(hours) }, { onSuccess: setCreated })
              }
            >
              Regenerate key
            </Button>
          </DialogFooter>
        </Stack>
      )}
    </Dialog>
  )
}
