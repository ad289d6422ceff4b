import fc from 'fast-check'
import { dig, digList, digNumber } from '../../json.ts'
import { itemsOf, type Operation } from '../document.ts'
import { type Probe, probe } from '../probe.ts'
import { type Call, ProbeError, type Session } from '../session.ts'

const limitMax = 50

/** Two pages of one size equal the page of twice that size, and the envelope is right on each. Only in a static world. */
export const pages = (session: Session): Probe[] =>
  session.api.operations
    .filter(operation => session.isFrozen && !operation.needsKey && itemsOf(session.api, operation))
    .map(operation =>
      probe({
        name: `pages ${operation.id}`,
        weight: 1,
        cost: 4,
        draws: fc.record({
          id: fc.constantFrom(...(operation.path.includes('{') ? session.values.inPath(operation) : [''])),
          limit: fc.integer({ min: 1, max: limitMax }),
          place: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        check: draw => comparePages(session, operation, draw),
      }),
    )

interface Place {
  id: string
  limit: number
  /** Where in the list: 0 is its beginning, 1 its end. */
  place: number
}

async function comparePages(session: Session, operation: Operation, { id, limit, place }: Place) {
  const [base = ''] = session.api.bases
  const path = `${base}${operation.path.replace(/\{\w+\}/, id)}`
  const caller = session.callers.find(({ kind }) => kind === 'anonymous') ?? session.callers[0]
  if (!caller) return
  const callOf = (page: number, size: number): Call => ({
    method: 'GET',
    target: `${path}?page=${page}&limit=${size}`,
    caller,
  })
  const read = async (page: number, size: number) => {
    const call = callOf(page, size)
    const { json } = await session.request(operation, call)
    const [items, total] = [digList(json, 'data'), digNumber(json, 'pagination.total')]
    const wanted = { page, limit: size, total, pages: Math.ceil(total / size) }
    const length = Math.min(size, Math.max(0, total - (page - 1) * size))
    const problems = Object.entries(wanted)
      .filter(([name, value]) => dig(json, `pagination.${name}`) !== value)
      .map(
        ([name, value]) => `pagination.${name} is ${dig(json, `pagination.${name}`)}, and should be ${value}`,
      )
    if (items.length !== length) problems.push(`${items.length} items, where ${length} of ${total} are left`)
    if (problems.length > 0) throw new ProbeError(problems, call)
    return { items, total }
  }
  const { total } = await read(1, limit)
  const half = Math.floor((place * Math.ceil(total / limit)) / 2)
  const parts = [await read(2 * half + 1, limit), await read(2 * half + 2, limit)]
  const whole = await read(half + 1, 2 * limit)
  const isSame = JSON.stringify(parts.flatMap(({ items }) => items)) === JSON.stringify(whole.items)
  if (!isSame)
    throw new ProbeError(
      [`pages ${2 * half + 1} and ${2 * half + 2} of ${limit} are not this page`],
      callOf(half + 1, 2 * limit),
    )
}
