import type { ComponentType } from 'react'
import { Link, useLocation } from 'wouter'
import {
  BookIcon,
  ExploreIcon,
  KeyIcon,
  LogIcon,
  PlaygroundIcon,
  UsageIcon,
  VerifyIcon,
  WebhookIcon,
} from './icons.tsx'
import classes from './nav.module.css'
import { usePageInfo } from './use-page-info.ts'

const entries: { path: string; label: string; icon: ComponentType }[] = [
  { path: '/', label: 'Verify', icon: VerifyIcon },
  { path: '/keys', label: 'Keys', icon: KeyIcon },
  { path: '/usage', label: 'Usage', icon: UsageIcon },
  { path: '/webhooks', label: 'Webhooks', icon: WebhookIcon },
  { path: '/explore', label: 'Explore', icon: ExploreIcon },
  { path: '/try', label: 'Try it', icon: PlaygroundIcon },
  { path: '/log', label: 'Account log', icon: LogIcon },
]

export function Nav({ onNavigate }: { onNavigate: () => void }) {
  const [location] = useLocation()
  const { docs_url } = usePageInfo()
  const isHere = (path: string) =>
    path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`)

  return (
    <nav aria-label="Developer settings" className={classes.nav}>
      <ul>
        {entries.map(({ path, label, icon: Icon }) => (
          <li key={path}>
            <Link href={path} aria-current={isHere(path) ? 'page' : undefined} onClick={onNavigate}>
              <Icon />
              {label}
            </Link>
          </li>
        ))}
        <li className={classes.apart}>
          <a href={docs_url}>
            <BookIcon />
            API reference
          </a>
        </li>
      </ul>
    </nav>
  )
}
