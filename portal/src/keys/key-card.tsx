import type { AccountKey } from '@chancery/contract'
import { Badge, Button, Group, Title } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { DescriptionList } from '../ui/description-list.tsx'
import { TimeAgo, TimeOrNever } from '../ui/time-ago.tsx'
import { displayPrefix } from './key-status.ts'
import classes from './keys.module.css'
import { LastUsed } from './last-used.tsx'
import { LimitRequestStatus } from './limit-request.tsx'
import { RegenerateKeyDialog } from './regenerate-key-dialog.tsx'
import { RequestLimitDialog } from './request-limit-dialog.tsx'
import { RevokeKeyDialog } from './revoke-key-dialog.tsx'
import { ScopeBadges } from './scope-badges.tsx'

type OpenDialog = 'replace' | 'revoke' | 'limit' | null

export function KeyCard({ of: key, isOver: isInactive }: { of: AccountKey; isOver: boolean }) {
  const [open, setOpen] = useState<OpenDialog>(null)
  const close = () => setOpen(null)
  const numbers = new Intl.NumberFormat('en')
  return (
    <li className={classes.card} aria-label={key.name}>
      <div className={classes.head}>
        <Title order={2} className={classes.name}>
          {key.name}
        </Title>
        <code className={classes.beginning}>{displayPrefix(key)}</code>
        {isInactive && <Badge color="gray">{key.revoked_at ? 'Revoked' : 'Expired'}</Badge>}
      </div>
      <ScopeBadges scopes={key.scopes} />
      <DescriptionList
        items={[
          ['Limit', `${numbers.format(key.limit)} a minute`],
          ['Calls today', numbers.format(key.calls_today)],
          ['Last used', <LastUsed key="used" of={key} />],
          ['Created', <TimeAgo key="created" time={key.created_at} />],
          key.revoked_at
            ? ['Revoked', <TimeAgo key="revoked" time={key.revoked_at} />]
            : ['Expires', <TimeOrNever key="expires" time={key.expires_at} />],
        ]}
      />
      {key.limit_request && <LimitRequestStatus request={key.limit_request} />}
      <Group gap="xs">
        <Button component={Link} href={`/usage/${key.id}`} size="xs" variant="default">
          Usage
        </Button>
        {!isInactive && (
          <>
            <Button size="xs" variant="default" onClick={() => setOpen('limit')}>
              Ask for a higher limit
            </Button>
            <Button size="xs" variant="default" onClick={() => setOpen('replace')}>
              Replace
            </Button>
            <Button size="xs" variant="light" color="red" onClick={() => setOpen('revoke')}>
              Revoke
            </Button>
          </>
        )}
      </Group>
      {open === 'limit' && <RequestLimitDialog of={key} onClose={close} />}
      {open === 'replace' && <RegenerateKeyDialog of={key} onClose={close} />}
      {open === 'revoke' && <RevokeKeyDialog of={key} onClose={close} />}
    </li>
  )
}
