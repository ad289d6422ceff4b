import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/context.ts'
import { searchPublic } from '../api/public-api.ts'

export type Kind = 'nation' | 'alliance'

export interface Subject {
  kind: Kind
  id: string
}

export function useExploration({ kind, id }: Subject) {
  const { explore } = useClient()
  return useQuery({ queryKey: ['explore', kind, id], queryFn: () => explore(kind, id) })
}

export function useSearch(kind: Kind, search: string) {
  return useQuery({
    queryKey: ['search', kind, search],
    queryFn: () => searchPublic(kind, search),
    enabled: search !== '',
    placeholderData: (previous, query) => (query?.queryKey[1] === kind ? previous : undefined),
  })
}
