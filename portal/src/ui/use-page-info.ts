import type { PageInfo } from '@chancery/contract'
import { createContext, useContext } from 'react'
import { useApiQuery } from '../api/context.ts'

export const usePageInfoQuery = () =>
  useApiQuery(['page'], request => request('GET /page'), { staleTime: Number.POSITIVE_INFINITY })

/** Provided before any page renders. */
export const PageInfoContext = createContext<PageInfo | null>(null)

export function usePageInfo(): PageInfo {
  const info = useContext(PageInfoContext)
  if (!info) throw new Error('usePageInfo requires a PageInfoContext')
  return info
}
