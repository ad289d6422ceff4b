import type { PageInfo } from '@chancery/contract'
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { useClient } from '../api/context.ts'

export function usePageInfoQuery() {
  const client = useClient()
  return useQuery({ queryKey: ['page'], queryFn: client.page, staleTime: Number.POSITIVE_INFINITY })
}

/** The page is not drawn before it is known, so that whoever is inside can rely on it. */
export const PageInfoContext = createContext<PageInfo | null>(null)

export function usePageInfo(): PageInfo {
  const info = useContext(PageInfoContext)
  if (!info) throw new Error('the page stands outside its PageInfoContext')
  return info
}
