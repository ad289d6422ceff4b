import { type AccountKey, limits } from '@chancery/contract'
import { Button, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { pageStorage } from '../api/base-path.ts'
import { useClock } from '../api/context.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { GuideLink } from '../ui/guides.tsx'
import { PlusIcon } from '../ui/icons.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { type Column, RecordTable } from '../ui/record-table.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { useNow } from '../ui/time.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyCard, LastUsed } from './key-card.tsx'
import { parseKeyLink, takePendingKeyLink } from './key-link.ts'
import classes from './keys.module.css'
import { privateScopes, ScopeBadges } from './scopes.tsx'
import { prefixOf, useKeyMutations, useKeys } from './use-keys.ts'

export function KeysPage() {
  const keys = useKeys()
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <PageHeading
        title="Keys"
        action={
          <Button leftSection={<PlusIcon />} onClick={() => setCreating(true)}>
            Create key
          </Button>
        }
      >
        An API key lets a bot or a tool read data on your behalf. Create a separate key for each, so that you
        can revoke them separately.
      </PageHeading>
      <QueryView query={keys} rows={3} rowHeight={150}>
        {({ data }) => <KeyLists keys={data} />}
      </QueryView>
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
    </>
  )
}

/** The list of keys with the form of a new one, which a link may fill in. */
export function NewKeyPage() {
  const info = usePageInfo()
  const clock = useClock()
  const search = useSearch()
  const [, navigate] = useLocation()
  // It is open now: the next sign-in does not open it again.
  useEffect(() => void takePendingKeyLink(pageStorage, clock.now()), [clock])
  return (
    <>
      <KeysPage />
      <CreateKeyDialog
        key={search}
        link={parseKeyLink(search, info.scopes)}
        onClose={() => navigate('/keys', { replace: true })}
      />
    </>
  )
}

function KeyLists({ keys }: { keys: AccountKey[] }) {
  const now = useNow(20_000)
  const { true: inactive = [], false: active = [] } = Object.groupBy(keys, key => `${isInactive(key, now)}`)
  return (
    <>
      {active.length === 0 ? (
        <Empty>
          You have no API keys. Bots that read only public data do not need one.{' '}
          <GuideLink guide="your-first-bot">Build your first bot</GuideLink>
        </Empty>
      ) : (
        <ul className={classes.list} aria-label="Active keys">
          {active.map(key => (
            <KeyCard key={key.id} of={key} isInactive={false} />
          ))}
        </ul>
      )}
      <Text size="sm" c="dimmed">
        {active.length} of {limits.keysPerPlayer} keys
      </Text>
      {inactive.length > 0 && (
        <details className={classes.inactive}>
          <summary>Revoked and expired keys ({inactive.length})</summary>
          <ul className={classes.list} aria-label="Revoked and expired keys">
            {inactive.map(key => (
              <KeyCard key={key.id} of={key} isInactive />
            ))}
          </ul>
        </details>
      )}
      <PrivateKeys activeKeys={active} />
    </>
  )
}

const isInactive = (key: AccountKey, nowMs: number) =>
  key.revoked_at !== null || (key.expires_at !== null && Date.parse(key.expires_at) <= nowMs)

/** Lists the keys that can read private data, and revokes all of them at once. */
function PrivateKeys({ activeKeys }: { activeKeys: AccountKey[] }) {
  const info = usePageInfo()
  const announce = useAnnounce()
  const { revokePrivate } = useKeyMutations()
  const [isConfirming, setConfirming] = useState(false)
  const keys = activeKeys.filter(key => privateScopes(key.scopes, info).length > 0)

  const columns: Column<AccountKey>[] = [
    { label: 'Key', render: key => (key.replaced_by ? `${key.name} (replaced)` : key.name) },
    { label: 'Prefix', render: key => <code>{prefixOf(key)}</code> },
    { label: 'Scopes', render: key => <ScopeBadges scopes={privateScopes(key.scopes, info)} /> },
    { label: 'Last used', render: key => <LastUsed of={key} /> },
  ]
  const onRevoked = ({ revoked }: { revoked: number }) => {
    announce(`Revoked ${revoked} keys.`)
    setConfirming(false)
  }
  return (
    <Section
      title="Keys with access to private data"
      action={
        keys.length > 0 && (
          <Button size="xs" variant="light" color="red" onClick={() => setConfirming(true)}>
            Revoke all
          </Button>
        )
      }
    >
      <RecordTable
        caption="Keys with access to private data"
        columns={columns}
        rows={keys}
        rowKey={({ id }) => id}
        empty={
          <>
            None of your keys can read private data.{' '}
            <GuideLink guide="scopes-and-privacy">Scopes and privacy</GuideLink>
          </>
        }
      />
      {isConfirming && (
        <ConfirmDialog
          title="Revoke all keys with access to private data?"
          confirmLabel="Revoke all keys"
          isPending={revokePrivate.isPending}
          error={revokePrivate.error}
          onConfirm={() => revokePrivate.mutate(undefined, { onSuccess: onRevoked })}
          onClose={() => setConfirming(false)}
        >
          <Text>
            {keys.length === 1 ? 'The key listed here stops' : `The ${keys.length} keys listed here stop`}{' '}
            working within a second. This cannot be undone. Your other keys keep working.
          </Text>
        </ConfirmDialog>
      )}
    </Section>
  )
}
