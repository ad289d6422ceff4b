import { digText } from '../src/json.ts'
import {
  alliance,
  allianceMember,
  allianceRanking,
  battle,
  conflict,
  era,
  event,
  marketPrice,
  marketRanking,
  nation,
  nationRanking,
  newsItem,
  one,
  page,
  war,
} from '../src/resources.ts'
import type { Shape } from '../src/shape.ts'
import type { World } from '../src/world.ts'

interface Operation {
  path: string
  /** What of the game it exposes. */
  data?: string
  returns: string
  /** The whole body of its 200; left out where a key or a code is needed. */
  body?: Shape
  isList: boolean
}

/** The operations of section 4.2, as that table has them. */
export const operations: readonly Operation[] = [
  {
    path: '/nations',
    data: 'nations',
    returns: 'list envelope of nations',
    body: page(nation),
    isList: true,
  },
  { path: '/nations/{id}', returns: 'one nation', body: one(nation), isList: false },
  { path: '/alliances/{id}', data: 'alliances', returns: 'one alliance', body: one(alliance), isList: false },
  {
    path: '/alliances/{id}/members',
    returns: 'list of alliance members',
    body: page(allianceMember),
    isList: true,
  },
  // Not in that table; a list all the same.
  { path: '/alliances', returns: 'list of alliances', body: page(alliance), isList: true },
  { path: '/wars', data: 'wars', returns: 'list of wars', body: page(war), isList: true },
  { path: '/wars/{id}', returns: 'one war', body: one(war), isList: false },
  {
    path: '/wars/{id}/battles',
    data: 'battles',
    returns: 'battles of a war',
    body: page(battle),
    isList: true,
  },
  {
    path: '/market/price',
    data: 'the market',
    returns: 'market price data',
    body: page(marketPrice),
    isList: true,
  },
  { path: '/market/rankings', returns: 'market ranking data', body: page(marketRanking), isList: true },
  {
    path: '/rankings?board=nations',
    data: 'rankings of nations',
    returns: 'ranking of nations',
    body: page(nationRanking),
    isList: true,
  },
  {
    path: '/rankings?board=alliances',
    data: 'rankings of alliances',
    returns: 'ranking of alliances',
    body: page(allianceRanking),
    isList: true,
  },
  {
    path: '/global-conflicts',
    data: 'global conflicts',
    returns: 'global conflicts',
    body: page(conflict),
    isList: true,
  },
  { path: '/eras', data: 'eras', returns: 'eras', body: page(era), isList: true },
  { path: '/events', data: 'events', returns: 'game events', body: page(event), isList: true },
  { path: '/news', data: 'news', returns: 'news items', body: page(newsItem), isList: true },
  { path: '/me/nation', returns: 'the nation of the key owner', isList: false },
  { path: '/discord/verify/{code}', returns: 'the verified identity', isList: false },
]

export const lists = operations.filter(({ isList }) => isList)

/** A path with an id of the world in the place of {id}, and a code that does not exist. */
export async function fill(path: string, world: World): Promise<string> {
  const id = async () => {
    if (path.startsWith('/nations')) return digText(await world.owner(), 'id')
    if (path.startsWith('/alliances')) return world.allianceId()
    const wars = await world.wars()
    return digText(
      path.endsWith('/battles') ? await world.foughtWar() : (wars[0] ?? (await world.activeWar())),
      'id',
    )
  }
  return path.replace('{code}', '2345678923').replace('{id}', path.includes('{id}') ? await id() : '')
}

/** A path and a parameter more. */
export const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`
