import type { AccountKey } from '@chancery/contract'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../ui/announcer.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { type Column, RecordTable } from '../ui/record-table.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { useNow } from '../ui/use-now.ts'
import { usePageInfo } from '../ui/use-page-info.ts'
import { displayPrefix, isInactive, privateScopes } from './key-status.ts'
import { LastUsed } from './last-used.tsx'
import { ScopeBadges } from './scope-badges.tsx'
import { useRevokePrivateKeys } from './use-keys.ts'

/** One look at who else sees what only the player may see, and one button that ends it. */
export function PrivateKeys({ keys }: { keys: AccountKey[] }) {
  const info = usePageInfo()
  const announce = useAnnounce()
  const now = useNow(20_000)
  const revoke = useRevokePrivateKeys()
  const [isAsking, setAsking] = useState(false)
  const readers = keys.filter(key => !isInactive(key, now) && privateScopes(key.scopes, info).length > 0)

  const columns: Column<AccountKey>[] = [
    { label: 'Key', render: key => key.name },
    { label: 'Begins', render: key => <code>{displayPrefix(key)}</code> },
    { label: 'Reads', render: key => <ScopeBadges scopes={privateScopes(key.scopes, info)} /> },
    { label: 'Last used', render: key => <LastUsed of={key} /> },
  ]
  const onRevoked = ({ revoked }: { revoked: number }) => {
    announce(`Revoked ${revoked} keys.`)
    setAsking(false)
  }
  return (
    <Section
      title="Who can read my nation’s secrets"
      action={
        readers.length > 0 && (
          <Button size="xs" variant="light" color="red" onClick={() => setAsking(true)}>
            Revoke all of these
          </Button>
        )
      }
    >
      {readers.length === 0 ? (
        <Empty>No key can: none of yours has a scope that opens secrets.</Empty>
      ) : (
        <RecordTable
          caption="Keys that read secrets"
          columns={columns}
          rows={readers}
          rowKey={({ id }) => id}
        />
      )}
      {isAsking && (
        <ConfirmDialog
          title="Revoke all keys that read secrets?"
          confirmLabel="Revoke them all"
          isPending={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(undefined, { onSuccess: onRevoked })}
          onClose={() => setAsking(false)}
        >
          <Text>
            {readers.length === 1
              ? 'The key listed here stops'
              : `The ${readers.length} keys listed here stop`}{' '}
            within a second, for good. Your other keys go on.
          </Text>
        </ConfirmDialog>
      )}
    </Section>
  )
}
