import type { Ask } from './ask.ts'
import type { Contestant } from './contestants/contestant.ts'
import { askPlatformatic, askPostGraphile } from './contestants/peers/words.ts'
import { exchange, headerOf } from './exchange.ts'
import type { Scene } from './scene.ts'
import type { Work } from './work.ts'

/** What a contestant is asked at a work: the same for all who understand the same words. */
export async function asksOf(
  work: Work,
  contestant: Contestant,
  { keys }: Pick<Scene, 'keys'>,
): Promise<Ask[]> {
  const { asks } = work
  switch (contestant.id) {
    case 'platformatic':
      return asks.map(askPlatformatic)
    case 'postgraphile':
      return asks.map(askPostGraphile)
    case 'chancery-keys':
    case 'chancery-redis-keys':
      return work.isPersonal
        ? asks.map((ask, index) => withKey(ask, keys[index]))
        : asks.flatMap(ask => keys.map(key => withKey(ask, key)))
    case 'nginx':
    case 'nginx-log':
      // It tags its files in its own way.
      return work.status === 304 ? Promise.all(asks.map(ask => withTagOf(contestant, ask))) : asks
    default:
      return asks
  }
}

const withKey = (ask: Ask, key: string | undefined) => withHeader(ask, 'authorization', `Bearer ${key}`)

const withHeader = (ask: Ask, name: string, value: string): Ask => ({
  ...ask,
  headers: { ...ask.headers, [name]: value },
})

async function withTagOf({ url }: Contestant, ask: Ask): Promise<Ask> {
  const tag = headerOf(await exchange(url, { path: ask.path }), 'etag')
  return withHeader(ask, 'if-none-match', tag ?? '')
}
