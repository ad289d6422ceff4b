import type { AccountKey } from '@chancery/contract'
import { limits } from '@chancery/contract'
import { Text } from '@mantine/core'
import { Empty } from '../ui/section.tsx'
import { useNow } from '../ui/use-now.ts'
import { KeyCard } from './key-card.tsx'
import { isInactive } from './key-status.ts'
import classes from './keys.module.css'

/** Keys that work, and out of the way those that no longer do. */
export function KeyList({ keys }: { keys: AccountKey[] }) {
  const now = useNow(20_000)
  const working = keys.filter(key => !isInactive(key, now))
  const over = keys.filter(key => isInactive(key, now))
  return (
    <>
      {working.length === 0 ? (
        <Empty>You have no key. A bot that reads only what is public can do without one.</Empty>
      ) : (
        <ul className={classes.list} aria-label="Keys that work">
          {working.map(key => (
            <KeyCard key={key.id} of={key} isOver={false} />
          ))}
        </ul>
      )}
      <Text size="sm" c="dimmed">
        {working.length} of {limits.keysPerPlayer} keys.
      </Text>
      {over.length > 0 && (
        <details className={classes.over}>
          <summary>Revoked and expired keys ({over.length})</summary>
          <ul className={classes.list} aria-label="Revoked and expired keys">
            {over.map(key => (
              <KeyCard key={key.id} of={key} isOver />
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
