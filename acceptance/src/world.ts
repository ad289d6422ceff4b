import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Client, canonical } from './client.ts'
import { dig, digList, digNumber, digText, type JsonObject } from './json.ts'
import { orSkip } from './spec-test.ts'

/** Rows of the server's world to request. Each is looked up once; a test without one is skipped. */
export interface World {
  /** Waits until there is a nation, and until a demo that has just begun has made its history. */
  ready(): Promise<void>
  nations(): Promise<JsonObject[]>
  /** The nation of the suite's keys: an alliance's officer, else a member, else any. */
  owner(): Promise<JsonObject>
  /** A nation that is neither the owner nor in its alliance; in another one if there is one. */
  otherNation(): Promise<JsonObject>
  /** A nation with an alliance, of the given rank where one is named. */
  member(rank?: string): Promise<JsonObject>
  /** A nation without an alliance. */
  nationWithoutAlliance(): Promise<JsonObject>
  allianceId(): Promise<string>
  wars(): Promise<JsonObject[]>
  activeWar(): Promise<JsonObject>
  /** The war with the most battles among the newest. */
  foughtWar(): Promise<JsonObject>
  battle(): Promise<JsonObject | undefined>
  treaty(): Promise<JsonObject | undefined>
}

const pagesMax = 3
const readyMs = 180_000
const pollMs = 500

export function createWorld(client: Client): World {
  const first = (path: string) => async () =>
    digList((await client.request(`${canonical}${path}?limit=1`)).json, 'data')[0]
  const all = (path: string) => async () => {
    const items: JsonObject[] = []
    for (let page = 1; page <= pagesMax; page += 1) {
      const { json } = await client.request(`${canonical}${path}?limit=100&page=${page}`)
      const found = digList(json, 'data')
      items.push(...found)
      if (found.length < 100) break
    }
    return items
  }
  const nations = once(all('/nations'))
  const wars = once(all('/wars'))
  const isMember = (nation: JsonObject) => dig(nation, 'alliance.alliance_id') !== undefined

  const owner = once(async () => {
    const found = await nations()
    const officer = found.find(nation => dig(nation, 'alliance.rank') === 'officer')
    return orSkip(officer ?? found.find(isMember) ?? found[0], 'the world has no nation')
  })

  return {
    ready: async () => {
      const deadline = Date.now() + readyMs
      const isEmpty = async () =>
        digList((await client.request(`${canonical}/nations?limit=1`)).json, 'data').length === 0
      while ((await isEmpty()) || client.settings.isWorldUnfinished()) {
        if (Date.now() > deadline) throw new Error('the world has no nation, or its history takes too long')
        await sleep(pollMs)
      }
    },
    nations,
    owner,
    otherNation: once(async () => {
      const { id, alliance } = await owner()
      const allianceId = dig(alliance, 'alliance_id')
      const others = (await nations()).filter(
        nation =>
          nation.id !== id && (!isMember(nation) || dig(nation, 'alliance.alliance_id') !== allianceId),
      )
      return orSkip(others.find(isMember) ?? others[0], 'the world has no nation outside of an alliance')
    }),
    async member(rank) {
      const found = (await nations()).find(
        nation => isMember(nation) && (rank === undefined || dig(nation, 'alliance.rank') === rank),
      )
      return orSkip(found, `the world has no nation with an alliance${rank ? ` and the rank ${rank}` : ''}`)
    },
    nationWithoutAlliance: async () =>
      orSkip(
        (await nations()).find(nation => nation.alliance === null),
        'the world has no nation without alliance',
      ),
    allianceId: once(async () => {
      const found = orSkip((await nations()).find(isMember), 'the world has no alliance with a member')
      return digText(found, 'alliance.alliance_id')
    }),
    wars,
    activeWar: async () =>
      orSkip(
        (await wars()).find(war => war.status === 'active'),
        'the world has no active war',
      ),
    foughtWar: once(async () => {
      const [most] = (await wars()).toSorted(
        (one, other) => digNumber(other, 'battles_count') - digNumber(one, 'battles_count'),
      )
      return orSkip(
        most && digNumber(most, 'battles_count') > 0 ? most : undefined,
        'the world has no battle',
      )
    }),
    battle: once(first('/battles')),
    treaty: once(first('/treaties')),
  }
}

function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  return () => {
    found ??= find()
    return found
  }
}

const attemptsMax = 8

/**
 * Reads an item, then others that should agree with it, then the item again, until it did not change in between:
 * a changing world must not make a response look wrong.
 */
export async function readUnchanged<T, O>(
  read: () => Promise<T>,
  readOthers: () => Promise<O>,
): Promise<{ item: T; others: O }> {
  for (let attempt = 1; ; attempt += 1) {
    const item = await read()
    const others = await readOthers()
    if (isDeepStrictEqual(await read(), item)) return { item, others }
    if (attempt === attemptsMax) throw new Error(`the world changed during each of ${attemptsMax} readings`)
  }
}
