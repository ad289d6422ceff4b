import type { Scope } from '@chancery/contract'
import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useClient, useClock } from '../api/context.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { ScopeChoices } from '../keys/scope-choices.tsx'
import { useAnnounce } from '../ui/announcer.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import classes from './playground.module.css'

const lifetimeMs = 3_600_000

interface Props {
  onCreated: (key: string, expiresAt: string) => void
}

/** Makes a key of the player's that is over within the hour. */
export function CreateTemporaryKey({ onCreated }: Props) {
  const { keys } = useClient()
  const clock = useClock()
  const announce = useAnnounce()
  const [scopes, setScopes] = useState<Scope[]>(['nation.read'])
  const make = useApiMutation(async () => {
    const expiresAt = new Date(clock.now() + lifetimeMs).toISOString()
    const { key } = await keys.create({ name: 'Try it', scopes, expires_at: expiresAt })
    // Handed on from here and not answered: what a change answers is kept in the cache of changes.
    onCreated(key, expiresAt)
    announce('Made a key for an hour.')
  }, ['keys'])
  return (
    <div className={classes.make}>
      <Stack gap="sm" align="start">
        <p className={classes.or}>Or make one, of the name “Try it”. It is listed with your other keys.</p>
        <ScopeChoices chosen={scopes} onChange={setScopes} />
        {make.error && <ErrorNotice error={make.error} />}
        <Button
          variant="default"
          loading={make.isPending}
          disabled={scopes.length === 0}
          onClick={() => make.mutate()}
        >
          Make a key for an hour
        </Button>
      </Stack>
    </div>
  )
}
