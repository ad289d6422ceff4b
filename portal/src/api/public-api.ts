import { readError } from './errors.ts'
import { queryString } from './request.ts'

export interface Named {
  id: string
  name: string
  /** The alliance's tag, or the nation's leader. */
  more: string
}

interface Found {
  data: { id: string; name?: string; tag?: string; nation_name?: string; leader_name?: string }[]
}

/** Looks for nations or alliances as anybody does: through the public API, without credentials. */
export async function searchPublic(kind: 'nation' | 'alliance', search: string): Promise<Named[]> {
  const res = await fetch(`/api/v1/${kind}s${queryString({ search, limit: 10 })}`, { credentials: 'omit' })
  if (!res.ok) throw await readError(res)
  const found: Found = await res.json()
  return found.data.map(({ id, name, tag, nation_name, leader_name }) => ({
    id,
    name: nation_name ?? name ?? id,
    more: leader_name ?? tag ?? '',
  }))
}
