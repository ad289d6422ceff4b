import { Router } from 'wouter'
import { HandoverPage } from '../session/handover-page.tsx'
import { SignedOutPage } from '../session/signed-out-page.tsx'
import { useHandoverToken } from '../session/use-handover-token.ts'
import { useSessionState } from '../session/use-session.ts'
import { Announcer } from './announcer.tsx'
import classes from './app.module.css'
import { ErrorNotice } from './error-notice.tsx'
import { Loading } from './loading.tsx'
import { Routes } from './routes.tsx'
import { Shell } from './shell.tsx'
import { ThemeProvider } from './theme-provider.tsx'
import { useKeptFocus } from './use-kept-focus.ts'
import { PageInfoContext, usePageInfoQuery } from './use-page-info.ts'

/** The page: what it is for this game, then who is signed in, then where they are. */
export function App({ firstToken }: { firstToken: string | null }) {
  const info = usePageInfoQuery()
  const state = useSessionState()
  const handover = useHandoverToken(firstToken)
  useKeptFocus()

  return (
    <ThemeProvider accent={info.data?.color}>
      <Announcer>
        <Router base="/developers">
          {info.data && state.data ? (
            <PageInfoContext value={info.data}>
              <Shell>
                {handover.token ? (
                  <HandoverPage token={handover.token} onDone={handover.drop} />
                ) : state.data.signedIn ? (
                  <Routes />
                ) : (
                  <SignedOutPage hasEnded={state.data.hasEnded} />
                )}
              </Shell>
            </PageInfoContext>
          ) : (
            <main className={classes.waiting}>
              {info.error || state.error ? (
                <ErrorNotice
                  error={info.error ?? state.error}
                  title="The developer settings could not be opened"
                  onRetry={() => Promise.all([info.refetch(), state.refetch()])}
                />
              ) : (
                <Loading rows={4} rowHeight={64} />
              )}
            </main>
          )}
        </Router>
      </Announcer>
    </ThemeProvider>
  )
}
