import { Alert, Button } from '@mantine/core'
import { Component, lazy, type ReactNode, Suspense } from 'react'
import { Link, Route, Router, Switch, useLocation } from 'wouter'
import { basePath } from './api/base-path.ts'
import { keyLinkPath } from './keys/key-link.ts'
import { HandoverPage, useHandoverToken } from './session/handover-page.tsx'
import { SignedOutPage } from './session/signed-out-page.tsx'
import { useSessionState } from './session/use-session.ts'
import classes from './shell.module.css'
import { Shell } from './shell.tsx'
import { Announcer } from './ui/announcer.tsx'
import { ErrorNotice } from './ui/error-notice.tsx'
import { useKeptFocus } from './ui/focus.ts'
import { PageHeading } from './ui/page-heading.tsx'
import { Loading } from './ui/query-view.tsx'
import { ThemeProvider } from './ui/theme.tsx'
import { PageInfoContext, usePageInfoQuery } from './ui/use-page-info.ts'
import { VerifyPage } from './verify/verify-page.tsx'

/** Loads the settings of this game and the session, then shows the requested page or a way to sign in. */
export function App({ firstToken }: { firstToken: string | null }) {
  const info = usePageInfoQuery()
  const state = useSessionState()
  const handover = useHandoverToken(firstToken)
  useKeptFocus()

  return (
    <ThemeProvider accent={info.data?.color}>
      <Announcer>
        <Router base={`${basePath()}/developers`}>
          {info.data && state.data ? (
            <PageInfoContext value={info.data}>
              <Shell>
                {handover.token ? (
                  <HandoverPage token={handover.token} onDone={handover.clear} />
                ) : state.data.signedIn ? (
                  <Routes />
                ) : (
                  <SignedOutPage hasEnded={state.data.hasEnded} />
                )}
              </Shell>
            </PageInfoContext>
          ) : (
            <main className={classes.loading}>
              {info.error || state.error ? (
                <ErrorNotice
                  error={info.error ?? state.error}
                  title="Could not load the developer settings"
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

// The verify page is in the first bundle; the others are loaded on demand.
const KeysPage = lazy(async () => ({ default: (await import('./keys/keys-page.tsx')).KeysPage }))
const NewKeyPage = lazy(async () => ({ default: (await import('./keys/keys-page.tsx')).NewKeyPage }))
const UsagePage = lazy(async () => ({ default: (await import('./usage/usage-page.tsx')).UsagePage }))
const WebhooksPage = lazy(async () => ({
  default: (await import('./webhooks/webhooks-page.tsx')).WebhooksPage,
}))
const AddEndpointPage = lazy(async () => ({
  default: (await import('./webhooks/add-endpoint-page.tsx')).AddEndpointPage,
}))
const EndpointPage = lazy(async () => ({
  default: (await import('./webhooks/endpoint-page.tsx')).EndpointPage,
}))
const ExplorePage = lazy(async () => ({ default: (await import('./explore/explore-page.tsx')).ExplorePage }))
const MarketPage = lazy(async () => ({ default: (await import('./market/market-page.tsx')).MarketPage }))
const PlaygroundPage = lazy(async () => ({
  default: (await import('./playground/playground-page.tsx')).PlaygroundPage,
}))
const LogPage = lazy(async () => ({ default: (await import('./log/log-page.tsx')).LogPage }))

function Routes() {
  const [location] = useLocation()
  return (
    <ErrorBoundary location={location}>
      <Suspense fallback={<Loading rows={4} rowHeight={72} />}>
        <Switch>
          <Route path="/" component={VerifyPage} />
          <Route path="/keys" component={KeysPage} />
          <Route path={keyLinkPath} component={NewKeyPage} />
          <Route path="/usage">
            <UsagePage keyId={null} />
          </Route>
          <Route path="/usage/:keyId">{({ keyId }) => <UsagePage keyId={keyId} />}</Route>
          <Route path="/webhooks" component={WebhooksPage} />
          <Route path="/webhooks/new" component={AddEndpointPage} />
          <Route path="/webhooks/:id">{({ id }) => <EndpointPage key={id} id={id} />}</Route>
          <Route path="/explore" component={ExplorePage} />
          <Route path="/market" component={MarketPage} />
          <Route path="/try" component={PlaygroundPage} />
          <Route path="/log" component={LogPage} />
          <Route>
            <PageHeading title="Page not found">
              This page does not exist. <Link href="/">Go to the start page</Link>
            </PageHeading>
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  )
}

interface ErrorBoundaryProps {
  /** The error is cleared when the location changes. */
  location: string
  children: ReactNode
}

/** Shown when a page throws, or its script cannot be loaded, as after an update of the server. */
class ErrorBoundary extends Component<ErrorBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidUpdate({ location }: ErrorBoundaryProps) {
    if (this.state.hasFailed && location !== this.props.location) this.setState({ hasFailed: false })
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <Alert color="red" variant="light" title="This page could not be loaded" role="alert">
        <Button variant="default" size="xs" mt="xs" onClick={() => location.reload()}>
          Reload
        </Button>
      </Alert>
    )
  }
}
