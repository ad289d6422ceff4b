import type { AccountKey, NewAccountKeyResponse } from '@chancery/contract'
import { limits } from '@chancery/contract'
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { CreatedKey } from './new-key.tsx'
import { useRegenerateKey } from './use-keys.ts'

const overlaps = [0, 1, 6, 12, limits.keyOverlapHoursMax].map(hours => ({
  value: String(hours),
  label: hours === 0 ? 'Not at all: it stops at once' : hours === 1 ? '1 hour' : `${hours} hours`,
}))

export function RegenerateKeyDialog({ of: key, onClose }: { of: AccountKey; onClose: () => void }) {
  const replace = useRegenerateKey(key.id)
  const [hours, setHours] = useState(String(limits.keyOverlapHoursMax))
  const [made, setMade] = useState<NewAccountKeyResponse | null>(null)
  return (
    <Dialog
      title={made ? 'Your new key' : `Replace “${key.name}”`}
      isWide
      isPersistent={made !== null}
      onClose={onClose}
    >
      {made ? (
        <CreatedKey of={made} onDone={onClose} />
      ) : (
        <Stack>
          <Text>
            You get a new key with the same name, scopes and limit. The old one goes on for a while, so that
            you can change over.
          </Text>
          <NativeSelect
            label="The old key works for another"
            data={overlaps}
            value={hours}
            onChange={event => setHours(event.currentTarget.value)}
            data-autofocus
          />
          {replace.error && <ErrorNotice error={replace.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              loading={replace.isPending}
              onClick={() => replace.mutate(Number(hours), { onSuccess: setMade })}
            >
              Replace key
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
