import { alliancesGet, alliancesList, alliancesMembers } from './alliances.ts'
import { discordVerify } from './discord.ts'
import { gameGet } from './game.ts'
import { conflictsList, erasList, eventsList, eventsStream, newsList } from './history.ts'
import { marketPrice, marketRankings } from './market.ts'
import { meKey, meNation } from './me.ts'
import { nationsGet, nationsList } from './nations.ts'
import type { Operation } from './operation.ts'
import { rankingsList } from './rankings.ts'
import { warsBattles, warsGet, warsList } from './wars.ts'

/** Every operation, in the order of the reference. */
export const operations = {
  nationsList,
  nationsGet,
  alliancesList,
  alliancesGet,
  alliancesMembers,
  warsList,
  warsGet,
  warsBattles,
  marketPrice,
  marketRankings,
  rankingsList,
  conflictsList,
  eventsList,
  eventsStream,
  newsList,
  meNation,
  meKey,
  discordVerify,
  gameGet,
  erasList,
} as const satisfies Record<string, Operation>

/** The bases that answer, identically and from the same limits. */
export const bases = { canonical: '/api/v1', mirror: '/api/public/v1' } as const
