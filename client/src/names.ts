/** Lists that a family of events changes without naming what they hold already: what is new stands in no kept answer. */
const lists = new Map<string, readonly string[] | 'all'>([
  ['war', ['/wars', '/global-conflicts']],
  ['battle', []],
  ['strategic_weapon', []],
  ['alliance', ['/alliances']],
  ['treaty', []],
  ['nation', ['/nations']],
  ['conflict', ['/global-conflicts']],
  ['news', ['/news']],
  ['market', ['/market/price', '/market/rankings']],
  // A world may begin anew, and texts are replaced wherever they stand.
  ['era', 'all'],
  ['record', 'all'],
  ['game', []],
])

/** Families whose lists are known. */
export const knownFamilies: ReadonlySet<string> = new Set(lists.keys())

/** Paths of the lists that a kind of event changes; `all` where nothing kept is certain, as with a family that came later. */
export const listsOf = (type: string): readonly string[] | 'all' =>
  lists.get(type.split('.')[0] ?? '') ?? 'all'

/** Ids that a call names in its address, and its answer in members called `id`, `…_id` or `…_ids`. */
export function idsIn(address: string, value: object): Set<string> {
  const [path = '', query = ''] = address.split('?')
  const ids = new Set(path.split('/').slice(2))
  for (const [name, text] of new URLSearchParams(query))
    if (/ids?$/.test(name)) for (const id of text.split(',')) ids.add(id)
  gather(value, ids)
  return ids
}

function gather(value: object, ids: Set<string>): void {
  for (const [name, member] of Object.entries(value)) {
    if (name === 'id' || name.endsWith('_id')) ids.add(String(member))
    else if (name.endsWith('_ids') && Array.isArray(member)) for (const id of member) ids.add(String(id))
    else if (typeof member === 'object' && member !== null) gather(member, ids)
  }
}
