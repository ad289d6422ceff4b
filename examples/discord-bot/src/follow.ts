import { type Chancery, type ChanceryEvent, CursorExpired } from '@chancery/client'
import { heardTypes } from './events.ts'
import type { Keeper } from './roles/keeper.ts'
import type { Store } from './store.ts'

export interface FollowParts {
  client: Pick<Chancery, 'events'>
  store: Store
  keeper: Pick<Keeper, 'lookAtAll'>
  handle(event: ChanceryEvent): Promise<void>
  signal: AbortSignal
}

/**
 * Follows the log by the stream, from where it was left, until the signal says otherwise. An event is noted as read when it is
 * handled: one that a crash interrupts is handled again.
 */
export async function follow({ client, store, keeper, handle, signal }: FollowParts): Promise<void> {
  while (!signal.aborted) {
    const after = store.position()
    const events = client.events.follow({ types: heardTypes, signal, ...(after !== undefined && { after }) })
    try {
      for await (const event of events) {
        await handle(event)
        store.setPosition(event.seq)
      }
    } catch (err) {
      if (signal.aborted) return
      if (!(err instanceof CursorExpired)) throw err
      // The log goes no longer back so far, or the world is another one: what was missed shows in how things are.
      store.forgetPosition()
      keeper.lookAtAll()
    }
  }
}
