import { relative } from 'node:path'
import type { Config, RunningServer } from '@chancery/server'
import { formatNumber } from '../format.ts'
import { scopeText } from '../options.ts'
import { tokenLocation } from '../service.ts'
import { table } from '../table.ts'
import type { DemoKey } from './demo-keys.ts'
import type { DemoWorld } from './demo-world.ts'

export interface DemoInfo {
  config: Config
  service: RunningServer
  world: DemoWorld
  keys: DemoKey[]
}

export function bannerDocument({ config, service, world, keys }: DemoInfo) {
  return { ...addresses(config, service), world, keys }
}

/** Addresses, keys and example requests. */
export function bannerText(info: DemoInfo): string {
  const { config, service, world, keys } = info
  const { publicUrl } = service
  const { api, mirror, docs, operator } = addresses(config, service)
  const places = [
    ['  start page', `${publicUrl}/`],
    ['  guides', `${publicUrl}/docs/guides`],
    ['  reference', docs],
    ['  settings', `${publicUrl}/developers`],
    ['  API', api],
    ['  API alias', mirror],
    ['  operator', `${operator}  token: ${tokenLocation(config)}`],
  ]
  return [
    '',
    `Chancery is running: a simulated world of ${formatNumber(world.nations)} nations, ${world.days} days old.`,
    '',
    table(places),
    '',
    'API keys, each of a different player:',
    '',
    table([['  PLAYER', 'NATION', 'SCOPES', 'KEY'], ...keys.map(keyRow)]),
    '',
    'Try:',
    '',
    `  # without a key: the strongest nations\n  curl '${api}/nations?limit=3'`,
    ...keys.map(
      key =>
        `  # ${tryOf(key).what}\n  curl -H 'Authorization: Bearer ${key.key}' \\\n    '${api}${tryOf(key).path}'`,
    ),
    ...verification(info, api),
    ...events(info, api),
    '',
    `Ctrl-C stops it; the next start continues with the same world (${config.dataDir}).`,
    'chancery demo --fresh creates a new one.',
  ].join('\n')
}

function addresses(config: Config, { publicUrl, operatorUrl }: RunningServer) {
  return {
    api: `${publicUrl}/api/v1`,
    mirror: `${publicUrl}/api/public/v1`,
    docs: `${publicUrl}/docs`,
    operator: operatorUrl,
    operator_token: tokenLocation(config),
  }
}

function keyRow({ kind, nation_id: nation, scopes, key }: DemoKey): string[] {
  return [`  ${kind}`, nation ?? '-', scopeText(scopes), key]
}

/** An example request for each kind of key. */
function tryOf({ kind, nation_id: nation, alliance_id: alliance, scopes }: DemoKey): {
  what: string
  path: string
} {
  if (nation === null) return { what: `${kind}: the key itself`, path: '/me/key' }
  if (scopes.length === 1)
    return { what: `${kind}: their nation, limited by the scope of the key`, path: '/me/nation' }
  if (kind === 'alliance officer')
    return {
      what: `${kind}: the treasury, which members cannot see`,
      path: `/alliances/${alliance}?include=treasury`,
    }
  return { what: `${kind}: their nation with its military`, path: '/me/nation?include=military' }
}

const commandOf = ({ config }: DemoInfo): string => {
  const isElsewhere = relative(process.cwd(), config.dataDir) !== '.chancery'
  return `${isElsewhere ? `CHANCERY_DATA_DIR=${config.dataDir} ` : ''}npx chancery`
}

function verification(info: DemoInfo, api: string): string[] {
  const nation = anyNation(info)
  if (nation === undefined) return []
  return [
    `  # verification: a code for the player of ${nation}, redeemed by a chat bot`,
    `  ${commandOf(info)} codes issue --nation ${nation}`,
    `  curl '${api}/discord/verify/CODE'`,
  ]
}

/** Live events: as a stream, and by webhook if the demo may reach local receivers. */
function events(info: DemoInfo, api: string): string[] {
  const nation = anyNation(info)
  const stream = [`  # live events of wars`, `  curl -N '${api}/events/stream?type=war.*'`]
  if (nation === undefined || !info.config.webhooksAllowLocal) return stream
  return [
    ...stream,
    '  # the same as webhooks, to your receiver on port 9000',
    `  ${commandOf(info)} webhooks add --nation ${nation} \\\n    --url http://127.0.0.1:9000/ --types 'war.*'`,
  ]
}

const anyNation = ({ keys }: DemoInfo): string | undefined =>
  keys.findLast(key => key.nation_id !== null)?.nation_id ?? undefined
