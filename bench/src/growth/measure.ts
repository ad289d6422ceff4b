import { type Answered, type Asker, type Timing, timingOf } from './asking.ts'
import type { Promised, Question } from './questions.ts'

export type Place = 'first' | 'middle' | 'last'

/** What the pages of a question took in one world. A list that fits on one page has no middle and no last one. */
export interface Measured {
  operation: string
  name: string
  promised: Promised
  filters: number
  order: number
  total: number | undefined
  pages: Partial<Record<Place, Timing>>
  /** Why it was not answered, where it was not. */
  failure?: string
}

/** How often a page is asked for: at least, at most, and no longer than so many milliseconds in between. */
interface Effort {
  samplesMin: number
  samplesMax: number
  ms: number
}

const efforts: Record<Promised, Effort> = {
  flat: { samplesMin: 30, samplesMax: 48, ms: 500 },
  one: { samplesMin: 100, samplesMax: 400, ms: 500 },
  bounded: { samplesMin: 6, samplesMax: 48, ms: 200 },
}
/** Combinations are many, of what was measured one by one. */
const effortOfPairs: Effort = { samplesMin: 3, samplesMax: 8, ms: 60 }
const effortOfMore: Effort = { samplesMin: 2, samplesMax: 4, ms: 30 }
const limit = 100
/** How many items the pages that are asked for one after the other have: each has another number, so that nobody has asked for it before. */
const limits = Array.from({ length: 50 }, (_, index) => limit - index)

/** What is not answered within the limits of the service is a result as well. */
export async function measure(asker: Asker, question: Question): Promise<Measured> {
  try {
    return await measureAnswered(asker, question)
  } catch (error) {
    const { path: _path, ...named } = question
    return {
      ...named,
      total: undefined,
      pages: {},
      failure: error instanceof Error ? error.message : `${error}`,
    }
  }
}

async function measureAnswered(asker: Asker, question: Question): Promise<Measured> {
  const { path, ...named } = question
  if (question.promised === 'one') {
    const ids = await idsOf(asker, path.replace('/{id}', ''))
    let next = 0
    const timing = await timed(efforts.one, () =>
      asker.ask(path.replace('{id}', ids[next++ % ids.length] ?? '')),
    )
    return { ...named, total: undefined, pages: { first: timing } }
  }
  const { total = 0 } = await asker.ask(`${path}limit=${limit}`)
  // The last page is one that is full: a short one costs less, whatever comes before it.
  const places: Partial<Record<Place, (limit: number) => number>> = {
    first: () => 1,
    ...(total >= 3 * limit && {
      middle: limit => Math.ceil(total / limit / 2),
      last: limit => Math.floor(total / limit),
    }),
  }
  const pages: Measured['pages'] = {}
  for (const [place, numberOf] of Object.entries(places)) {
    let next = 0
    const ask = () => {
      const size = limits[next++ % limits.length] ?? limit
      return asker.ask(`${path}limit=${size}&page=${numberOf(size)}`)
    }
    pages[place as Place] = await timed(effortOf(question), ask)
  }
  return { ...named, total, pages }
}

const effortOf = ({ filters, promised }: Question): Effort =>
  filters > 2 ? effortOfMore : filters === 2 ? effortOfPairs : efforts[promised]

async function timed({ samplesMin, samplesMax, ms }: Effort, ask: () => Promise<Answered>): Promise<Timing> {
  // The first one plans the statements and fetches what the memory of the database does not hold yet.
  await ask()
  const measured: number[] = []
  const until = performance.now() + ms
  while (measured.length < samplesMin || (measured.length < samplesMax && performance.now() < until))
    measured.push((await ask()).ms)
  return timingOf(measured)
}

/** Ids from all over a list. */
async function idsOf(asker: Asker, path: string): Promise<string[]> {
  type Listed = { data: { id: string }[]; pagination: { total: number } }
  const { total } = (await asker.read<Listed>(`${path}?limit=1`)).pagination
  const pages = Math.max(1, Math.floor(total / limit))
  const ids: string[] = []
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const page = 1 + Math.floor((pages - 1) * share)
    const { data } = await asker.read<Listed>(`${path}?limit=${limit}&page=${page}`)
    ids.push(...data.map(({ id }) => id))
  }
  return ids
}
