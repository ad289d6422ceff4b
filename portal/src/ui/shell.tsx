import { type ReactNode, useState } from 'react'
import { useSessionState } from '../session/use-session.ts'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import { Header } from './header.tsx'
import { NationName } from './nation-name.tsx'
import { Nav } from './nav.tsx'
import classes from './shell.module.css'

/** The frame around every page: who is signed in, the way to the other pages, and the page itself. */
export function Shell({ children }: { children: ReactNode }) {
  const { data: state } = useSessionState()
  const [isMenuOpen, setMenuOpen] = useState(false)
  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        Skip to the content
      </a>
      <Header isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} />
      <div className={classes.body} data-with-nav={Boolean(state?.signedIn) || undefined}>
        {state?.signedIn && (
          <div id="menu" className={classes.nav} data-open={isMenuOpen || undefined}>
            <Nav onNavigate={() => setMenuOpen(false)} />
            <section aria-label="You" className={classes.more}>
              {state.signedIn.nation && <NationName nation={state.signedIn.nation} />}
              <div className={classes.colors}>
                <ColorSchemeSwitch />
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
