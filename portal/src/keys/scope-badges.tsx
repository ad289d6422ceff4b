import type { Scope } from '@chancery/contract'
import { Badge } from '@mantine/core'
import { usePageInfo } from '../ui/use-page-info.ts'
import classes from './keys.module.css'

/** Scopes, with those marked that open secrets. */
export function ScopeBadges({ scopes }: { scopes: Scope[] }) {
  const info = usePageInfo()
  const known = new Map(info.scopes.map(scope => [scope.name, scope]))
  return (
    <div className={classes.scopes}>
      {scopes.map(name => (
        <Badge
          key={name}
          variant="light"
          color={known.get(name)?.is_private ? 'orange' : 'gray'}
          tt="none"
          title={known.get(name)?.description}
        >
          {name}
        </Badge>
      ))}
    </div>
  )
}
