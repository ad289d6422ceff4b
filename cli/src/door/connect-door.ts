import { type Door, ServiceAway } from '@chancery/connect'
import { sendFacts } from './facts-stream.ts'
import { NothingFound, type OperatorDoor, ServiceSilent } from './operator-door.ts'

/** The operator's door for what connects a game: it waits for a service that is away. */
export function connectDoor(door: OperatorDoor): Door {
  return {
    async *send(facts, options) {
      try {
        for await (const outcome of sendFacts(door, facts, options))
          yield { ...outcome, events: outcome.events ?? 0 }
      } catch (err) {
        throw asAway(err)
      }
    },
    async call(method, path) {
      try {
        return await door.call(method, path)
      } catch (err) {
        if (err instanceof NothingFound) return undefined
        throw asAway(err)
      }
    },
  }
}

const asAway = (err: unknown) => (err instanceof ServiceSilent ? new ServiceAway(err.message) : err)
