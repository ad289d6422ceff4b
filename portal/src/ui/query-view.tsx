import { Skeleton, Stack, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'

interface LoadingProps {
  rows?: number | undefined
  rowHeight?: number | undefined
}

/** A skeleton of about the height of the content, so that the layout does not shift. */
export function Loading({ rows = 3, rowHeight = 44 }: LoadingProps) {
  return (
    <Stack gap="xs" aria-busy="true">
      <VisuallyHidden>Loading…</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={rowHeight} />
      ))}
    </Stack>
  )
}

interface Props<Data> extends LoadingProps {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown }
  children: (data: Data) => ReactNode
}

/** The data of a query, a skeleton while it loads, or its error with a way to retry. */
export function QueryView<Data>({ query, rows, rowHeight, children }: Props<Data>) {
  const { data, error, refetch } = query
  if (data !== undefined) return children(data)
  if (error) return <ErrorNotice error={error} title="Could not load the data" onRetry={() => refetch()} />
  return <Loading rows={rows} rowHeight={rowHeight} />
}
