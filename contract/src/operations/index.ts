import { conflictsList, erasList, eventsList, eventsStream, newsList } from './history.ts'
import { gameGet, marketPrice, marketRankings } from './market.ts'
import { discordVerify, meKey, meNation } from './me.ts'
import {
  alliancesGet,
  alliancesList,
  alliancesMembers,
  nationsGet,
  nationsList,
  rankingsList,
} from './nations.ts'
import type { Operation } from './operation.ts'
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
