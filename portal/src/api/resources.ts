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

/** Reads from the public API, without credentials. */
export async function readPublic<Response>(
  path: string,
  query: Record<string, string | number> = {},
): Promise<Response> {
  const res = await fetch(`${basePath()}/api/v1${path}${queryString(query)}`, {
    credentials: 'omit',
  }).catch(() => {
    throw unreachableError()
  })
  if (!res.ok) throw await readError(res)
  return await res.json()
}

async function readNamed(
  resource: ResourceName,
  query: Record<string, string | number>,
): Promise<NamedResource[]> {
  const { data } = await readPublic<{ data: (Nation | Alliance)[] }>(`/${resource}s`, query)
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
    queryFn: () => readNamed(resource, { search, limit: 10 }),
    enabled: search !== '',
    placeholderData: (previous, query) => (query?.queryKey[1] === resource ? previous : undefined),
  })
}

/** The names of nations or alliances by id. Those that do not exist, or are not loaded yet, are absent. */
export function useResourceNames(resource: ResourceName, ids: readonly string[]): Map<string, string> {
  const wanted = ids.toSorted().join(',')
  const { data = [] } = useQuery({
    queryKey: ['names', resource, wanted],
    queryFn: () => readNamed(resource, { ids: wanted, limit: 100 }),
    enabled: wanted !== '',
    placeholderData: previous => previous,
  })
  return new Map(data.map(({ id, name }) => [id, name]))
}
