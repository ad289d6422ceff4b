import type { ChanceryEvent } from '@chancery/client'
import { announcedTypes, announcement } from './announcement.ts'
import { isOf } from './event-kind.ts'
import type { Reply } from './reply.ts'
import type { Keeper } from './roles/keeper.ts'
import type { Store } from './store.ts'

/** Kinds of events that the bot has to hear of, whichever way they come. */
export const heardTypes = [
  ...announcedTypes,
  'alliance.*',
  'nation.renamed',
  'nation.deleted',
  'era.ended',
  'record.redacted',
] as const

export interface EventParts {
  store: Store
  keeper: Keeper
  /** Posts in the channel of a guild. */
  post(channel: string, reply: Reply): Promise<void>
  onError(err: unknown): void
}

/** What the bot does when something happens: the same for the stream and for webhooks. */
export const eventHandler =
  ({ store, keeper, post, onError }: EventParts) =>
  async (event: ChanceryEvent): Promise<void> => {
    look(event, store, keeper)
    const reply = announcement(event)
    if (!reply) return
    const channels = store.newsChannels()
    // A channel that is gone must not keep the others from hearing.
    await Promise.all(channels.map(({ channel }) => post(channel, reply).catch(onError)))
  }

const membershipTypes = new Set<string>([
  'alliance.member_joined',
  'alliance.member_left',
  'alliance.rank_changed',
  'nation.renamed',
  'nation.deleted',
])

/** Whose roles may no longer be right. The game is asked anew: what is told may be old by now. */
function look(event: ChanceryEvent, store: Store, keeper: Keeper): void {
  if (membershipTypes.has(event.type)) keeper.look(event.nation_ids)
  if (event.type === 'alliance.disbanded')
    for (const id of event.alliance_ids)
      keeper.look(store.linksOfAlliance(id).map(({ nationId }) => nationId))
  // Where the world began anew, this event alone tells of all who are gone.
  if (isOf(event, 'era.ended') && event.data.reset !== null) keeper.lookAtAll()
  if (isOf(event, 'record.redacted') && event.data.resource === 'nation') {
    store.forgetNationName(event.data.id)
    keeper.look([event.data.id])
  }
}
