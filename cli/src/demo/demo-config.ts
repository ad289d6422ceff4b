import type { Config } from '@chancery/server'
import { readServiceConfig } from '../service.ts'
import { say, type Terminal } from '../terminal.ts'
import { isLoopback } from './loopback.ts'

const hostDefault = '127.0.0.1'

/** The demo is quiet, keeps to this machine, and uses the bundled database whatever is set. */
export async function demoConfig(terminal: Pick<Terminal, 'env' | 'messages'>): Promise<Config> {
  const { CHANCERY_DATABASE_URL: databaseUrl, ...env } = terminal.env
  if (databaseUrl)
    say(terminal, 'the demo keeps to its bundled database: CHANCERY_DATABASE_URL is left alone')
  const isLocal = isLoopback(env.CHANCERY_HOST || hostDefault)
  return readServiceConfig(env, {
    host: hostDefault,
    logLevel: 'warn',
    // Receivers under development are next door; a demo that others reach must not let them look around there.
    webhooksAllowLocal: isLocal,
    // Whoever comes may be any player, as long as only this machine can come.
    demoSignIn: isLocal,
  })
}
