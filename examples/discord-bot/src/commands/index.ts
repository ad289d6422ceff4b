import type { Command } from '../command.ts'
import { alliance } from './alliance.ts'
import { conflict } from './conflict.ts'
import { era } from './era.ts'
import { history } from './history.ts'
import { market } from './market.ts'
import { nation } from './nation.ts'
import { nukes } from './nukes.ts'
import { rankings } from './rankings.ts'
import { setup } from './setup.ts'
import { verify } from './verify.ts'
import { war } from './war.ts'
import { wars } from './wars.ts'

const all = [nation, alliance, war, wars, market, rankings, conflict, era, nukes, history, verify, setup]

export const commands: ReadonlyMap<string, Command> = new Map(
  all.map(command => [command.data.name, command]),
)
