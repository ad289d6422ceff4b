import type { Contract, PublicOf } from '@chancery/contract'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { readError, unreachableError } from './api-error.ts'
import { basePath } from './base-path.ts'
import { queryString } from './request.ts'

export type ResourceName = 'nation' | 'alliance'

/** A nation or an alliance; `detail` is the nation's leader or the alliance's tag. */
export interface NamedResource {
  id: string
  name: string
  detail: string
}

type Nation = PublicOf<Contract['resources']['nation']>
type Alliance = PublicOf<Contract['resources']['alliance']>

/** Reads a list of the public API, without credentials. */
async function readPublic(
  resource: ResourceName,
  query: Record<string, string | number>,
): Promise<NamedResource[]> {
  const res = await fetch(`${basePath()}/api/v1/${resource}s${queryString(query)}`, {
    credentials: 'omit',
  }).catch(() => {
    throw unreachableError()
  })
  if (!res.ok) throw await readError(res)
  const { data }: { data: (Nation | Alliance)[] } = await res.json()
  return data.map(found =>
    'nation_name' in found
      ? { id: found.id, name: found.nation_name, detail: found.leader_name }
      : { id: found.id, name: found.name, detail: found.tag },
  )
}

/** Searches by name, shortly after the last change of the text. */
export function useResourceSearch(resource: ResourceName, text: string) {
  const [search] = useDebouncedValue(text.trim(), 250)
  return useQuery({
    queryKey: ['search', resource, search],
    queryFn: () => readPublic(resource, { search, limit: 10 }),
    enabled: search !== '',
    placeholderData: (previous, query) => (query?.queryKey[1] === resource ? previous : undefined),
  })
}

/** The names of nations or alliances by id. Those that do not exist, or are not loaded yet, are absent. */
export function useResourceNames(resource: ResourceName, ids: readonly string[]): Map<string, string> {
  const wanted = ids.toSorted().join(',')
  const { data = [] } = useQuery({
    queryKey: ['names', resource, wanted],
    queryFn: () => readPublic(resource, { ids: wanted, limit: 100 }),
    enabled: wanted !== '',
    placeholderData: previous => previous,
  })
  return new Map(data.map(({ id, name }) => [id, name]))
}
