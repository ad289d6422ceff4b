import { ActionIcon, Button } from '@mantine/core'
import { Link } from 'wouter'
import { useSessionState } from '../session/use-session.ts'
import { useSignOut } from '../session/use-sign-out.ts'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import classes from './header.module.css'
import { MenuIcon, SignOutIcon } from './icons.tsx'
import { NationName } from './nation-name.tsx'
import { usePageInfo } from './use-page-info.ts'

interface Props {
  /** Whether the way to the pages is open, on a narrow screen. */
  isMenuOpen: boolean
  onMenu: () => void
}

export function Header({ isMenuOpen, onMenu }: Props) {
  const { game, logo_url } = usePageInfo()
  const { data: state } = useSessionState()
  const signOut = useSignOut()
  const session = state?.signedIn

  return (
    <header className={classes.header}>
      {session && (
        <ActionIcon
          className={classes.menu}
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
          <strong>{game.name}</strong> <span className={classes.what}>developer settings</span>
        </span>
      </Link>
      <div className={classes.end} data-signed-in={Boolean(session) || undefined}>
        <div className={classes.colors}>
          <ColorSchemeSwitch />
        </div>
        {session && (
          <>
            <span className={classes.who}>
              {session.nation ? <NationName nation={session.nation} /> : 'No nation at present'}
            </span>
            <Button
              variant="default"
              size="xs"
              leftSection={<SignOutIcon size={15} />}
              loading={signOut.isPending}
              onClick={() => signOut.mutate()}
              className={classes.signOut}
            >
              Sign out
            </Button>
          </>
        )}
      </div>
    </header>
  )
}
