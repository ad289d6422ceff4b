import { ConnectError } from '../errors.ts'
import type { GameOptions, GameViews } from './game-views.ts'

/** How each kind of database is opened, by the protocol of its address. */
const dialects: Record<string, (url: string, options: GameOptions) => Promise<GameViews>> = {
  'postgres:': async (url, options) => (await import('./postgres-views.ts')).openPostgresViews(url, options),
  'mysql:': async (url, options) => (await import('./mysql-views.ts')).openMysqlViews(url, options),
  'sqlite:': async url => (await import('./sqlite-views.ts')).openSqliteViews(url),
}
dialects['postgresql:'] = dialects['postgres:'] as (typeof dialects)[string]
dialects['mariadb:'] = dialects['mysql:'] as (typeof dialects)[string]

/** The protocols of addresses that `openViews` takes. */
export const gameProtocols: readonly string[] = Object.keys(dialects)

/** Opens a connection whose results do not depend on settings of the database or its user. */
export async function openViews(url: string, options: GameOptions): Promise<GameViews> {
  const open = dialects[URL.parse(url)?.protocol ?? '']
  if (!open)
    throw new ConnectError(
      "the address of the game's database begins with none of postgres://, mysql:// and sqlite:",
    )
  return open(url, options)
}
