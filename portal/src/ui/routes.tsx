import { lazy, Suspense } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { VerifyPage } from '../verify/verify-page.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { Loading } from './loading.tsx'
import { PageHeading } from './page-heading.tsx'

// The first page comes with the frame; each other one when it is gone to.
const KeysPage = lazy(async () => ({ default: (await import('../keys/keys-page.tsx')).KeysPage }))
const UsagePage = lazy(async () => ({ default: (await import('../usage/usage-page.tsx')).UsagePage }))
const WebhooksPage = lazy(async () => ({
  default: (await import('../webhooks/webhooks-page.tsx')).WebhooksPage,
}))
const AddEndpointPage = lazy(async () => ({
  default: (await import('../webhooks/add-endpoint-page.tsx')).AddEndpointPage,
}))
const EndpointPage = lazy(async () => ({
  default: (await import('../webhooks/endpoint-page.tsx')).EndpointPage,
}))
const ExplorePage = lazy(async () => ({ default: (await import('../explore/explore-page.tsx')).ExplorePage }))
const TryPage = lazy(async () => ({
  default: (await import('../playground/playground-page.tsx')).PlaygroundPage,
}))
const LogPage = lazy(async () => ({ default: (await import('../log/log-page.tsx')).LogPage }))

export function Routes() {
  const [location] = useLocation()
  return (
    <ErrorBoundary at={location}>
      <Suspense fallback={<Loading rows={4} rowHeight={72} />}>
        <Switch>
          <Route path="/" component={VerifyPage} />
          <Route path="/keys" component={KeysPage} />
          <Route path="/usage">
            <UsagePage keyId={null} />
          </Route>
          <Route path="/usage/:keyId">{({ keyId }) => <UsagePage keyId={keyId} />}</Route>
          <Route path="/webhooks" component={WebhooksPage} />
          <Route path="/webhooks/new" component={AddEndpointPage} />
          <Route path="/webhooks/:id">{({ id }) => <EndpointPage key={id} id={id} />}</Route>
          <Route path="/explore" component={ExplorePage} />
          <Route path="/try" component={TryPage} />
          <Route path="/log" component={LogPage} />
          <Route>
            <PageHeading title="Nothing is here">
              There is no such page. <Link href="/">Go to the first page</Link>
            </PageHeading>
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  )
}
