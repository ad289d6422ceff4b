import type { Parameter } from '@chancery/contract'
import type { Asker } from './asking.ts'

/** A value of a filter. `broad`: it selects much of the world, so that it costs most; `narrow`: a handful of things. */
export interface Value {
  text: string
  breadth: 'broad' | 'narrow'
}

type Listed = Record<string, unknown> & { id: string }
interface PageOf<T> {
  data: T[]
  pagination: { total: number; pages: number }
}

/** What is asked of each filter in one world. A filter that is new in the contract needs values here, unless it is a word of a list. */
export type ValuesOf = (operation: string, name: string, parameter: Parameter) => Promise<Value[]>

export function valuesIn(asker: Asker, halfAt: string): ValuesOf {
  const page = async <T = Listed>(path: string) => asker.read<PageOf<T>>(path)
  const half = async (path: string) => {
    const { pages } = (await page(`${path}?limit=1`)).pagination
    return (await page(`${path}?limit=1&page=${Math.max(1, Math.ceil(pages / 2))}`)).data[0]
  }
  const idOfHalf = async (path: string) => `${(await half(path))?.id ?? 'none'}`
  const manyIds = async (path: string) => (await page(`${path}?limit=100`)).data.map(({ id }) => id).join(',')

  /** The first hundred of a list, and one from its middle. */
  const someIds = async (path: string): Promise<Value[]> => [
    { text: await manyIds(path), breadth: 'broad' },
    { text: await idOfHalf(path), breadth: 'narrow' },
  ]

  const known: Record<string, () => Promise<Value[]>> = {
    nation_id: () => someIds('/nations'),
    alliance_id: () => someIds('/alliances'),
    'nations.list ids': () => someIds('/nations'),
    'alliances.list ids': () => someIds('/alliances'),
    'wars.list ids': () => someIds('/wars'),
    'nations.list search': () => piecesOfNames(asker, '/nations', nation => nation.nation_name),
    'alliances.list search': () => piecesOfNames(asker, '/alliances', alliance => alliance.name),
    min_score: () => scores(page, [0.7, 0.001]),
    max_score: () => scores(page, [0.3, 0.999]),
    war_id: async () => [{ text: await idOfHalf('/wars'), breadth: 'narrow' }],
    conflict_id: async () => {
      const { data } = await page<Listed & { wars: { total: number } }>('/global-conflicts?limit=100')
      const largest = data.toSorted((one, other) => other.wars.total - one.wars.total)[0]
      return [{ text: largest?.id ?? 'none', breadth: 'broad' }]
    },
    type: async () => [
      { text: 'war.declared', breadth: 'broad' },
      { text: 'war.*,nation.*,alliance.*,battle.*', breadth: 'broad' },
      { text: 'alliance.disbanded', breadth: 'narrow' },
    ],
    since: async () => [
      { text: '2000-01-01T00:00:00Z', breadth: 'broad' },
      { text: halfAt, breadth: 'broad' },
    ],
    until: async () => [
      { text: '2100-01-01T00:00:00Z', breadth: 'broad' },
      { text: halfAt, breadth: 'broad' },
    ],
    after: async () => {
      const newest = (await page<{ seq: number }>('/events?limit=1')).data[0]?.seq ?? 0
      return [
        { text: '0', breadth: 'broad' },
        { text: `${Math.floor(newest / 2)}`, breadth: 'broad' },
      ]
    },
  }

  return async (operation, name, { schema, profileList: words }) => {
    const choose = known[`${operation} ${name}`] ?? known[name]
    if (choose) return choose()
    if (words) {
      const { data } = await asker.read<{ data: Record<string, { key: string }[]> }>('/game')
      return (data[words.list] ?? []).slice(0, 1).map(({ key }) => ({ text: key, breadth: 'broad' }))
    }
    const { enum: texts } = schema as { enum?: string[] }
    if (texts) return texts.map((text, index) => ({ text, breadth: index === 0 ? 'broad' : 'narrow' }))
    throw new Error(
      `${operation} has a filter ${name} that is not measured: say in values.ts what is asked of it`,
    )
  }
}

/** The scores that so much of the ranking has at least. */
async function scores(
  page: <T>(path: string) => Promise<PageOf<T>>,
  shares: [broad: number, narrow: number],
): Promise<Value[]> {
  const { total } = (await page('/rankings?limit=1')).pagination
  return Promise.all(
    shares.map(async (share, index) => {
      const place = Math.max(1, Math.ceil(total * share))
      const { data } = await page<{ national_score: number }>(`/rankings?limit=1&page=${place}`)
      return { text: `${data[0]?.national_score ?? 0}`, breadth: index === 0 ? 'broad' : 'narrow' } as const
    }),
  )
}

const sampledPages = 20

/** The commonest piece of one to four letters, the commonest word, and one whole name. */
async function piecesOfNames(
  asker: Asker,
  path: string,
  nameOf: (thing: Record<string, string>) => string | undefined,
): Promise<Value[]> {
  const { pages } = (await asker.read<PageOf<Listed>>(`${path}?limit=100`)).pagination
  const names = new Set<string>()
  for (let sample = 0; sample < sampledPages; sample += 1) {
    const number = 1 + Math.floor((pages * sample) / sampledPages)
    const { data } = await asker.read<PageOf<Record<string, string>>>(`${path}?limit=100&page=${number}`)
    for (const thing of data) names.add(nameOf(thing)?.toLowerCase() ?? '')
  }
  const common = (piecesOf: (name: string) => string[]): Value[] => {
    const counts = new Map<string, number>()
    for (const name of names)
      for (const piece of new Set(piecesOf(name))) counts.set(piece, (counts.get(piece) ?? 0) + 1)
    const [piece] = [...counts].sort((one, other) => other[1] - one[1])[0] ?? []
    return piece === undefined ? [] : [{ text: piece, breadth: 'broad' }]
  }
  const piecesOf = (length: number) => (name: string) =>
    Array.from({ length: Math.max(0, name.length - length + 1) }, (_, at) =>
      name.slice(at, at + length),
    ).filter(piece => /^\p{L}+$/u.test(piece))
  return [
    ...[2, 1, 3, 4].flatMap(length => common(piecesOf(length))),
    ...common(name => name.split(' ').filter(word => word.length > 4)),
    { text: [...names].at(-1) ?? 'none', breadth: 'narrow' },
  ]
}
