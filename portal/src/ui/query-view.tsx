import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'
import { Loading } from './loading.tsx'

interface Props<Data> {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown }
  rows?: number
  rowHeight?: number
  children: (data: Data) => ReactNode
}

/** What a query found; until then its place, or why there is nothing. */
export function QueryView<Data>({ query, rows, rowHeight, children }: Props<Data>) {
  const { data, error, refetch } = query
  if (data !== undefined) return children(data)
  if (error) return <ErrorNotice error={error} title="This could not be read" onRetry={() => refetch()} />
  return <Loading {...(rows ? { rows } : {})} {...(rowHeight ? { rowHeight } : {})} />
}
