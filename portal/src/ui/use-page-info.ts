import type { PageInfo } from '@chancery/contract'
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { useRequest } from '../api/context.ts'

export function usePageInfoQuery() {
  const request = useRequest()
  return useQuery({
    queryKey: ['page'],
    queryFn: () => request('GET /page'),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Provided before any page renders. */
export const PageInfoContext = createContext<PageInfo | null>(null)

export function usePageInfo(): PageInfo {
  const info = useContext(PageInfoContext)
  if (!info) throw new Error('usePageInfo requires a PageInfoContext')
  return info
}
