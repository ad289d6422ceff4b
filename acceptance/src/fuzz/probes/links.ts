import fc from 'fast-check'
import { dig, isRecord, members } from '../../json.ts'
import { itemsOf, type Operation } from '../document.ts'
import { drawsOf } from '../draw.ts'
import { type Probe, probe } from '../probe.ts'
import { type Call, ProbeError, type Session } from '../session.ts'
import { fill } from './methods.ts'

/** Ids in a response can be followed: each item of a list equals the item by its id, and `alliance_id` is the id of an alliance. */
export function links(session: Session): Probe[] {
  const { operations } = session.api
  const oneOf = new Map(
    operations
      .filter(({ path }) => /^\/\w+\/\{id\}$/.test(path))
      .map(one => [one.path.replace('/{id}', ''), one]),
  )
  return operations
    .filter(operation => !operation.needsKey && itemsOf(session.api, operation))
    .map(list =>
      probe({
        name: `links ${list.id}`,
        weight: 1,
        cost: 2,
        draws: fc.tuple(drawsOf(session, list), fc.nat()),
        async check([{ call }, which]) {
          const listed = list.path.includes('{')
            ? { ...call, target: `${session.api.bases[0]}${fill(session, list)}` }
            : call
          const { status, json } = await session.request(list, listed)
          const named = status === 200 ? namedIn(oneOf, list, dig(json, 'data')) : []
          const link = named[which % Math.max(1, named.length)]
          if (link) await follow(session, link, call)
        },
      }),
    )
}

interface Link {
  to: Operation
  id: string
  /** The item itself, where the list contains it completely. */
  item: unknown
}

function namedIn(oneOf: Map<string, Operation>, { path }: Operation, data: unknown): Link[] {
  const own = oneOf.get(path)
  const whole =
    own && Array.isArray(data) ? data.map(item => ({ to: own, id: String(dig(item, 'id')), item })) : []
  const others = [...members(data)].flatMap(([name, value]) => {
    const to = oneOf.get(`/${name.replace(/^.*_(?=\w+_id$)/, '').replace(/_id$/, 's')}`)
    return to && name.endsWith('_id') && typeof value === 'string' ? [{ to, id: value, item: undefined }] : []
  })
  return [...whole, ...others]
}

async function follow(session: Session, { to, id, item }: Link, from: Call): Promise<void> {
  const call: Call = { ...from, headers: {}, target: `${session.api.bases[0]}${to.path.replace('{id}', id)}` }
  const { status, json } = await session.request(to, call)
  // A reference of a war or an event may be deleted by now; an item of a list may not.
  if (status !== 200 && !(status === 404 && item === undefined) && status !== 429)
    throw new ProbeError([`${status}, although ${from.target} names it`], call)
  const data = dig(json, 'data')
  if (!session.isFrozen || !isRecord(item) || !isRecord(data)) return
  for (const [name, value] of Object.entries(item))
    if (JSON.stringify(data[name]) !== JSON.stringify(value))
      throw new ProbeError(
        [`${name} is ${JSON.stringify(data[name])}, and ${JSON.stringify(value)} in the list`],
        call,
      )
}
