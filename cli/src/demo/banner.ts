import { relative } from 'node:path'
import type { Config, RunningServer } from '@chancery/server'
import { grouped } from '../numbers.ts'
import { scopeText } from '../option-values.ts'
import { tokenPlace } from '../service.ts'
import { table } from '../table.ts'
import type { DemoKey } from './demo-keys.ts'
import type { DemoWorld } from './demo-world.ts'

export interface Shown {
  config: Config
  service: RunningServer
  world: DemoWorld
  keys: DemoKey[]
}

export function bannerDocument({ config, service, world, keys }: Shown) {
  return { ...addresses(config, service), world, keys }
}

/** What there is to try, for people. */
export function bannerText(shown: Shown): string {
  const { config, service, world, keys } = shown
  const { api, mirror, docs, operator } = addresses(config, service)
  const places = [
    ['  API', api],
    ['  the same', mirror],
    ['  reference', docs],
    ['  operator', `${operator}  token: ${tokenPlace(config)}`],
  ]
  return [
    '',
    `Chancery is running: a simulated world of ${grouped(world.nations)} nations, ${world.days} days old.`,
    '',
    table(places),
    '',
    'Keys to look at it with, each of another player:',
    '',
    table([['  PLAYER', 'NATION', 'SCOPES', 'KEY'], ...keys.map(keyRow)]),
    '',
    'Try:',
    '',
    `  # anybody: the strongest nations\n  curl '${api}/nations?limit=3'`,
    ...keys.map(
      key =>
        `  # ${tryOf(key).what}\n  curl -H 'Authorization: Bearer ${key.key}' \\\n    '${api}${tryOf(key).path}'`,
    ),
    ...verification(shown, api),
    ...events(shown, api),
    '',
    `Ctrl-C stops it; the next start goes on with the same world (${config.dataDir}).`,
    'chancery demo --fresh begins a new one.',
  ].join('\n')
}

function addresses(config: Config, { publicUrl, operatorUrl }: RunningServer) {
  return {
    api: `${publicUrl}/api/v1`,
    mirror: `${publicUrl}/api/public/v1`,
    docs: `${publicUrl}/docs`,
    operator: operatorUrl,
    operator_token: tokenPlace(config),
  }
}

function keyRow({ kind, nation_id: nation, scopes, key }: DemoKey): string[] {
  return [`  ${kind}`, nation ?? '-', scopeText(scopes), key]
}

/** The call that shows what is particular to each. */
function tryOf({ kind, nation_id: nation, alliance_id: alliance, scopes }: DemoKey): {
  what: string
  path: string
} {
  if (nation === null) return { what: `${kind}: what the key is`, path: '/me/key' }
  if (scopes.length === 1)
    return { what: `${kind}: the own nation, without what its scopes leave out`, path: '/me/nation' }
  if (kind === 'alliance officer')
    return {
      what: `${kind}: the treasury, which members do not see`,
      path: `/alliances/${alliance}?include=treasury`,
    }
  return { what: `${kind}: the own nation with its military`, path: '/me/nation?include=military' }
}

const commandOf = ({ config }: Shown): string => {
  const isElsewhere = relative(process.cwd(), config.dataDir) !== '.chancery'
  return `${isElsewhere ? `CHANCERY_DATA_DIR=${config.dataDir} ` : ''}npx chancery`
}

function verification(shown: Shown, api: string): string[] {
  const nation = anyNation(shown)
  if (nation === undefined) return []
  return [
    `  # verification: a code for the player of ${nation}, redeemed by a chat bot`,
    `  ${commandOf(shown)} codes issue --nation ${nation}`,
    `  curl '${api}/discord/verify/CODE'`,
  ]
}

/** Events as they come: over an open call, and posted to a receiver, for which the demo must be allowed to reach it. */
function events(shown: Shown, api: string): string[] {
  const nation = anyNation(shown)
  const stream = [`  # news of wars, as they come`, `  curl -N '${api}/events/stream?type=war.*'`]
  if (nation === undefined || !shown.config.webhooksAllowLocal) return stream
  return [
    ...stream,
    '  # the same, posted to a receiver of yours on port 9000',
    `  ${commandOf(shown)} webhooks add --nation ${nation} \\\n    --url http://127.0.0.1:9000/ --types 'war.*'`,
  ]
}

const anyNation = ({ keys }: Shown): string | undefined =>
  keys.findLast(key => key.nation_id !== null)?.nation_id ?? undefined
