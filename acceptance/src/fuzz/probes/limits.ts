import fc from 'fast-check'
import type { Keys } from '../../keys.ts'
import type { Caller } from '../callers.ts'
import { drawsOf } from '../draw.ts'
import { type Probe, probe } from '../probe.ts'
import { ProbeError, type Session } from '../session.ts'

/** Every request beyond the limit of its key is 429 as documented, on every base. */
export function limitsReached(session: Session, keys: Keys): Probe {
  const reads = session.api.operations.filter(({ method }) => method === 'GET')
  let spent: Promise<Caller> | undefined
  /** A key with a limit of one request in a window. */
  const spentCaller = async (): Promise<Caller> => {
    const { key } = await keys.make({ playerId: 'a-player-of-no-nation', limit: 1 })
    const name = 'KEY_OF_ONE_CALL'
    return { name, authorization: `Bearer ${key}`, kind: 'known', scopes: ['nation.read'], hasNation: false }
  }
  return probe({
    name: 'limits',
    weight: 2,
    cost: 2,
    draws: fc
      .constantFrom(...reads)
      .chain(operation => fc.tuple(fc.constant(operation), drawsOf(session, operation))),
    async check([operation, draw]) {
      spent ??= spentCaller()
      const call = { ...draw.call, caller: await spent }
      const first = await session.request(operation, call)
      if (first.status === 429) return
      const second = await session.request(operation, call)
      // A request line that is too long is rejected before it is counted.
      if (second.status !== 429 && second.status !== 431)
        throw new ProbeError([`${second.status} instead of 429 to a second call of one`], call)
    },
  })
}
