import { ActionIcon, Button, SegmentedControl, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { type ComponentType, type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useSessionState, useSignOut } from './session/use-session.ts'
import classes from './shell.module.css'
import {
  BookIcon,
  ExploreIcon,
  GuideIcon,
  KeyIcon,
  LogIcon,
  MarketIcon,
  MenuIcon,
  MoonIcon,
  PlaygroundIcon,
  ScreenIcon,
  SignOutIcon,
  SunIcon,
  UsageIcon,
  VerifyIcon,
  WebhookIcon,
} from './ui/icons.tsx'
import { NationName } from './ui/nation-name.tsx'
import { usePageInfo } from './ui/use-page-info.ts'

/** The layout around every page: header, navigation and content. */
export function Shell({ children }: { children: ReactNode }) {
  const { data: state } = useSessionState()
  const [isMenuOpen, setMenuOpen] = useState(false)
  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        Skip to content
      </a>
      <Header isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} />
      <div className={classes.body} data-with-nav={Boolean(state?.signedIn) || undefined}>
        {state?.signedIn && (
          <div id="menu" className={classes.menu} data-open={isMenuOpen || undefined}>
            <Nav onNavigate={() => setMenuOpen(false)} />
            <section aria-label="Your nation" className={classes.menuAccount}>
              {state.signedIn.nation && <NationName nation={state.signedIn.nation} />}
              <div className={classes.menuTheme}>
                <ThemeSwitch />
              </div>
            </section>
          </div>
        )}
        <main id="content" tabIndex={-1} className={classes.main}>
          {children}
        </main>
      </div>
    </div>
  )
}

interface HeaderProps {
  /** Whether the menu is open, on a narrow screen. */
  isMenuOpen: boolean
  onMenu: () => void
}

function Header({ isMenuOpen, onMenu }: HeaderProps) {
  const { game, logo_url } = usePageInfo()
  const { data: state } = useSessionState()
  const signOut = useSignOut()
  const session = state?.signedIn

  return (
    <header className={classes.header}>
      {session && (
        <ActionIcon
          className={classes.menuButton}
          variant="subtle"
          color="gray"
          size="lg"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          aria-controls="menu"
          onClick={onMenu}
        >
          <MenuIcon />
        </ActionIcon>
      )}
      <Link href="/" className={classes.brand}>
        {logo_url && <img src={logo_url} alt="" className={classes.logo} />}
        <span>
          <strong>{game.name}</strong> <span className={classes.product}>developer settings</span>
        </span>
      </Link>
      <div className={classes.headerEnd} data-signed-in={Boolean(session) || undefined}>
        <div className={classes.headerTheme}>
          <ThemeSwitch />
        </div>
        {session && (
          <>
            <span className={classes.headerAccount}>
              {session.nation ? <NationName nation={session.nation} isInHeader /> : 'No nation'}
            </span>
            <Button
              variant="default"
              size="xs"
              leftSection={<SignOutIcon size={15} />}
              loading={signOut.isPending}
              onClick={() => signOut.mutate()}
            >
              Sign out
            </Button>
          </>
        )}
      </div>
    </header>
  )
}

const entries: { path: string; label: string; icon: ComponentType }[] = [
  { path: '/', label: 'Verify', icon: VerifyIcon },
  { path: '/keys', label: 'Keys', icon: KeyIcon },
  { path: '/usage', label: 'Usage', icon: UsageIcon },
  { path: '/webhooks', label: 'Webhooks', icon: WebhookIcon },
  { path: '/explore', label: 'Explore', icon: ExploreIcon },
  { path: '/market', label: 'Market', icon: MarketIcon },
  { path: '/try', label: 'Playground', icon: PlaygroundIcon },
  { path: '/log', label: 'Account log', icon: LogIcon },
]

function Nav({ onNavigate }: { onNavigate: () => void }) {
  const [location] = useLocation()
  const { docs_url, has_market } = usePageInfo()
  const isCurrent = (path: string) =>
    path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`)

  return (
    <nav aria-label="Developer settings" className={classes.nav}>
      <ul>
        {entries
          .filter(({ path }) => has_market || path !== '/market')
          .map(({ path, label, icon: Icon }) => (
            <li key={path}>
              <Link href={path} aria-current={isCurrent(path) ? 'page' : undefined} onClick={onNavigate}>
                <Icon />
                {label}
              </Link>
            </li>
          ))}
        <li className={classes.navExternal}>
          <a href={docs_url}>
            <BookIcon />
            API reference
          </a>
        </li>
        <li>
          <a href={`${docs_url}/guides`}>
            <GuideIcon />
            Guides
          </a>
        </li>
      </ul>
    </nav>
  )
}

const themeOption = (icon: ReactNode, label: string) => (
  <span className={classes.themeOption} title={label}>
    {icon}
    <VisuallyHidden>{label}</VisuallyHidden>
  </span>
)

function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SegmentedControl
      aria-label="Theme"
      size="xs"
      value={colorScheme}
      onChange={setColorScheme}
      data={[
        { value: 'auto', label: themeOption(<ScreenIcon size={15} />, 'System theme') },
        { value: 'light', label: themeOption(<SunIcon size={15} />, 'Light theme') },
        { value: 'dark', label: themeOption(<MoonIcon size={15} />, 'Dark theme') },
      ]}
    />
  )
}
