import { type Chancery, type ChanceryEvent, CursorExpired, type EventType } from '@chancery/client'
import { type Reply, reply } from './command.ts'
import { outcomeText, sideText } from './commands/format.ts'
import type { RoleUpdater } from './roles.ts'
import type { Store } from './store.ts'
import { italic, name } from './text.ts'

/** The event types that the bot follows. */
const eventTypes = [
  'war.*',
  'strategic_weapon.launched',
  'alliance.*',
  'nation.renamed',
  'nation.deleted',
  'era.ended',
  'record.redacted',
] as const

const isOf = <K extends EventType>(
  event: ChanceryEvent,
  type: K,
): event is Extract<ChanceryEvent, { type: K }> => event.type === type

/** The message for the news channels; undefined for other events. */
export function announcement(event: ChanceryEvent): Reply | undefined {
  const footer = event.war_id === null ? {} : { footer: `War ${event.war_id}` }
  if (isOf(event, 'war.declared')) {
    const { attacker, defender, war } = event.data
    const lines = [`${sideText(attacker)} declared war on ${sideText(defender)}.`]
    if (war.reason !== null) lines.push(`“${italic(war.reason)}”`)
    return reply({ title: 'War declared', lines, ...footer })
  }
  if (isOf(event, 'war.ended')) {
    const { attacker, defender, outcome } = event.data
    const result = outcomeText({ status: 'ended', outcome })
    return reply({
      title: 'War ended',
      lines: [`${sideText(attacker)} against ${sideText(defender)}: ${result}.`],
      ...footer,
    })
  }
  if (event.type.startsWith('war.')) return reply({ lines: [name(event.summary)], ...footer })
  if (event.type !== 'strategic_weapon.launched') return undefined
  return reply({ title: 'Strategic launch', lines: [name(event.summary)], ...footer })
}

export interface EventHandlerOptions {
  store: Store
  updater: Pick<RoleUpdater, 'update' | 'updateAll'>
  post(channel: string, reply: Reply): Promise<void>
  onError(err: unknown): void
}

const nationTypes = new Set<string>([
  'alliance.member_joined',
  'alliance.member_left',
  'alliance.rank_changed',
  'nation.renamed',
  'nation.deleted',
])

/** Updates roles and announces, for events of the stream and of webhooks alike. */
export const createEventHandler =
  ({ store, updater, post, onError }: EventHandlerOptions) =>
  async (event: ChanceryEvent): Promise<void> => {
    if (nationTypes.has(event.type)) updater.update(event.nation_ids)
    if (event.type === 'alliance.disbanded')
      for (const id of event.alliance_ids)
        updater.update(store.linksOfAlliance(id).map(({ nationId }) => nationId))
    // A reset has no events for the nations that are gone.
    if (isOf(event, 'era.ended') && event.data.reset !== null) updater.updateAll()
    if (isOf(event, 'record.redacted') && event.data.resource === 'nation') {
      store.deleteNationName(event.data.id)
      updater.update([event.data.id])
    }
    const message = announcement(event)
    if (message)
      await Promise.all(store.newsChannels().map(({ channel }) => post(channel, message).catch(onError)))
  }

/** Follows the event stream from the stored position until the signal. An event that a crash interrupts is handled again. */
export async function followEvents({
  client,
  store,
  updater,
  handle,
  signal,
}: {
  client: Pick<Chancery, 'events'>
  store: Store
  updater: Pick<RoleUpdater, 'updateAll'>
  handle(event: ChanceryEvent): Promise<void>
  signal: AbortSignal
}): Promise<void> {
  while (!signal.aborted) {
    const after = store.position()
    const events = client.events.follow({ types: eventTypes, signal, ...(after !== undefined && { after }) })
    try {
      for await (const event of events) {
        await handle(event)
        store.setPosition(event.seq)
      }
    } catch (err) {
      if (signal.aborted) return
      if (!(err instanceof CursorExpired)) throw err
      // Missed events show in the present state of the nations.
      store.setPosition(undefined)
      updater.updateAll()
    }
  }
}
