import type { Command } from '../command.ts'
import { alliance } from './alliance.ts'
import { conflict } from './conflict.ts'
import { era } from './era.ts'
import { history } from './history.ts'
import { market } from './market.ts'
import { nation } from './nation.ts'
import { nukes } from './nukes.ts'
import { rankings } from './rankings.ts'
import { setupChannel } from './setup-channel.ts'
import { setupForget } from './setup-forget.ts'
import { setupRole } from './setup-role.ts'
import { setupShow } from './setup-show.ts'
import { verify } from './verify.ts'
import { war } from './war.ts'
import { wars } from './wars.ts'

export const commands: readonly Command[] = [
  nation,
  alliance,
  war,
  wars,
  market,
  rankings,
  conflict,
  era,
  nukes,
  history,
  verify,
  setupRole,
  setupForget,
  setupChannel,
  setupShow,
]
