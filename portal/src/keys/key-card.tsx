import type { AccountKey } from '@chancery/contract'
import { Badge, Button, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAnnounce } from '../ui/announcer.tsx'
import { DescriptionList } from '../ui/description-list.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { NearTime, TimeAgo, TimeOrNever } from '../ui/time.tsx'
import classes from './keys.module.css'
import { RegenerateKeyDialog } from './regenerate-key-dialog.tsx'
import { RequestLimitDialog } from './request-limit-dialog.tsx'
import { ScopeBadges } from './scopes.tsx'
import { prefixOf, useKeyMutations } from './use-keys.ts'

type OpenDialog = 'regenerate' | 'revoke' | 'limit' | null

export function KeyCard({ of: key, isInactive }: { of: AccountKey; isInactive: boolean }) {
  const [open, setOpen] = useState<OpenDialog>(null)
  const close = () => setOpen(null)
  /** Keys may have the same name. */
  const labelled = (action: string) => `${action}: ${key.name} (${prefixOf(key)})`
  return (
    <li className={classes.card} aria-label={key.name}>
      <div className={classes.head}>
        <Title order={2} className={classes.name}>
          {key.name}
        </Title>
        <code className={classes.prefix}>{prefixOf(key)}</code>
        {isInactive && <Badge color="gray">{key.revoked_at ? 'Revoked' : 'Expired'}</Badge>}
        {!isInactive && key.replaced_by && (
          <Badge variant="light" color="orange">
            Replaced
          </Badge>
        )}
      </div>
      {key.replaced_by && <Replacement of={key} isInactive={isInactive} />}
      <ScopeBadges scopes={key.scopes} />
      <DescriptionList
        items={[
          ['Rate limit', `${numbers.format(key.limit)} per minute`],
          ['Requests today', numbers.format(key.calls_today)],
          ['Last used', <LastUsed key="used" of={key} />],
          ['Created', <TimeAgo key="created" time={key.created_at} />],
          key.revoked_at
            ? ['Revoked', <TimeAgo key="revoked" time={key.revoked_at} />]
            : ['Expires', <TimeOrNever key="expires" time={key.expires_at} />],
        ]}
      />
      {key.limit_request && <LimitRequestStatus request={key.limit_request} />}
      <Group gap="xs">
        <Button
          component={Link}
          href={`/usage/${key.id}`}
          size="xs"
          variant="default"
          aria-label={labelled('Usage')}
        >
          Usage
        </Button>
        {!isInactive && (
          <>
            {!key.replaced_by && (
              <Button
                size="xs"
                variant="default"
                aria-label={labelled('Request higher limit')}
                onClick={() => setOpen('limit')}
              >
                Request higher limit
              </Button>
            )}
            <Button
              size="xs"
              variant="default"
              aria-label={labelled('Regenerate')}
              onClick={() => setOpen('regenerate')}
            >
              Regenerate
            </Button>
            <Button
              size="xs"
              variant="light"
              color="red"
              aria-label={labelled('Revoke')}
              onClick={() => setOpen('revoke')}
            >
              Revoke
            </Button>
          </>
        )}
      </Group>
      {open === 'limit' && <RequestLimitDialog of={key} onClose={close} />}
      {open === 'regenerate' && <RegenerateKeyDialog of={key} onClose={close} />}
      {open === 'revoke' && <RevokeKeyDialog of={key} onClose={close} />}
    </li>
  )
}

/** The key that replaced a regenerated one, and when the old one ends: "Replaced by chk_ZAwD…, ends tomorrow 08:13". */
function Replacement({ of: key, isInactive }: { of: AccountKey; isInactive: boolean }) {
  const endsAt = key.revoked_at ?? key.expires_at
  return (
    <Text size="sm">
      Replaced by <code>{key.replaced_by ? prefixOf(key.replaced_by) : ''}</code>
      {endsAt && (
        <>
          , {isInactive ? 'ended' : 'ends'} <NearTime time={endsAt} />
        </>
      )}
    </Text>
  )
}

/** The stored time of last use lags behind; the count of today is current. */
export const LastUsed = ({ of: { last_used_at, calls_today } }: { of: AccountKey }) =>
  last_used_at === null && calls_today > 0 ? 'Today' : <TimeOrNever time={last_used_at} />

const numbers = new Intl.NumberFormat('en')

function LimitRequestStatus({ request }: { request: NonNullable<AccountKey['limit_request']> }) {
  return (
    <div className={classes.limitRequest}>
      <p>
        You requested {numbers.format(request.calls_per_minute)} requests per minute{' '}
        <TimeAgo time={request.asked_at} />: “{request.sentence}”
      </p>
      {request.answered_at ? (
        <p>
          <strong>The operator replied</strong> <TimeAgo time={request.answered_at} />
          {request.note ? `: “${request.note}”` : '.'}
        </p>
      ) : (
        <Text size="sm" c="dimmed">
          Waiting for a reply from the operator.
        </Text>
      )}
    </div>
  )
}

function RevokeKeyDialog({ of: key, onClose }: { of: AccountKey; onClose: () => void }) {
  const announce = useAnnounce()
  const { revoke } = useKeyMutations()
  const onSuccess = () => {
    announce(`Revoked the key ${key.name}, ${prefixOf(key)}.`)
    onClose()
  }
  return (
    <ConfirmDialog
      title={`Revoke “${key.name}” (${prefixOf(key)})?`}
      confirmLabel="Revoke key"
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(key.id, { onSuccess })}
      onClose={onClose}
    >
      <Text>Requests with this key are rejected within a second. This cannot be undone.</Text>
      {key.replaced_by && (
        <Text mt="xs">
          This does not revoke the key that replaced it, <code>{prefixOf(key.replaced_by)}</code>.
        </Text>
      )}
    </ConfirmDialog>
  )
}
