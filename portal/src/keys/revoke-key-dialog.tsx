import type { AccountKey } from '@chancery/contract'
import { Text } from '@mantine/core'
import { useAnnounce } from '../ui/announcer.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { useRevokeKey } from './use-keys.ts'

export function RevokeKeyDialog({ of: key, onClose }: { of: AccountKey; onClose: () => void }) {
  const announce = useAnnounce()
  const revoke = useRevokeKey()
  const onSuccess = () => {
    announce(`Revoked the key ${key.name}.`)
    onClose()
  }
  return (
    <ConfirmDialog
      title={`Revoke “${key.name}”?`}
      confirmLabel="Revoke key"
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(key.id, { onSuccess })}
      onClose={onClose}
    >
      <Text>Whatever uses it is refused within a second. A revoked key never works again.</Text>
    </ConfirmDialog>
  )
}
