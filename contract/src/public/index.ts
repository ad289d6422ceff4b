import { eventsList, eventsStream, newsList } from './events.ts'
import { erasList, gameGet, marketPrice, marketRankings } from './game.ts'
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
import { conflictsList, warsBattles, warsGet, warsList } from './wars.ts'

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
