import { join, resolve } from 'node:path'
import { limits } from '@chancery/contract'
import { daysKeptMin, type EventsKept } from '../events/retention.ts'
import { isBasePath, ownNames } from '../http/base-path.ts'
import { createTrustedProxies } from '../http/trusted-proxies.ts'
import { type LogLevel, logLevels } from '../telemetry/log.ts'
import type { TlsFiles } from './certificates.ts'
import {
  count,
  createVariableReader,
  directory,
  type Environment,
  file,
  flag,
  hostName,
  integer,
  matching,
  oneOf,
  port,
  type UnknownVariable,
  url,
  type ValueType,
} from './variables.ts'

/** Everything that an operator can set. `docs/operations/settings.md` describes each variable. */
export interface Config {
  /** The public listener: the API, its reference, health checks. */
  host: string
  port: number
  /** The operator listener, for the game's servers. It belongs on a private network. */
  operatorHost: string
  operatorPort: number
  /** Undefined: generated at the first start, in `operator-token` in the data directory. */
  adminToken: string | undefined
  /** CHANCERY_OPERATOR_TOKEN is set: the token that commands send. It often has one role and is never used as the admin token. */
  hasSenderToken: boolean
  operatorTls: TlsFiles | undefined
  /** Several processes listen on one port (SO_REUSEPORT), and the system distributes the connections. */
  sharesPorts: boolean
  /** Seconds after SIGTERM in which /readyz is 503 and every response closes its connection, before the listeners close. */
  drainSeconds: number
  /** The URL that callers see in front of the public listener: an origin, and a path where several worlds share it. */
  publicUrl: string | undefined
  /** Where the bundled database, the operator token and addresses.json are kept. */
  dataDir: string
  /** A PostgreSQL of the operator's own, 15 or newer. Undefined: the bundled one. */
  databaseUrl: string | undefined
  /** Streaming replicas of that PostgreSQL, for public reads. */
  readDatabaseUrls: string[]
  /** A replica that is further behind is not read. */
  replicaLagMaxMs: number
  /** Prepared statement names are per session: off behind a pooler that shares sessions. */
  databaseNamesStatements: boolean
  /** The game profile. Undefined: that of the demo game. */
  gameFile: string | undefined
  /** Undefined: plain HTTP; a proxy terminates TLS. */
  tls: TlsFiles | undefined
  /** Valkey or Redis, which makes limits exact over all processes. Undefined: limits in memory, per process. */
  valkeyUrl: string | undefined
  /** Addresses and ranges whose X-Forwarded-For and X-Request-Id are trusted. */
  trustedProxies: string[]
  /** Calls in a window of 60 seconds: without a key, with a key that has no limit of its own, with all such keys of a player. */
  anonymousLimit: number
  keyLimit: number
  playerLimit: number
  /** Open event streams of each process: with one key, and without a key from one IPv4 address or IPv6 /64. */
  streamsPerKey: number
  streamsPerAddress: number
  /** Webhooks may go to http URLs and to addresses that are not public: for receivers under development. */
  webhooksAllowLocal: boolean
  /** Concurrent deliveries to one endpoint, over all processes. */
  webhooksInFlight: number
  /** Rows of the request log, about 250 bytes each; the oldest are deleted first. 0 switches the request log and usage counters off. */
  requestLogRowsMax: number
  /** What is kept of the event log. Undefined: everything. */
  eventsKept: EventsKept | undefined
  /** The directory in which expired events are archived. Undefined: they are not. */
  eventsArchiveDir: string | undefined
  /** How many days of history are kept: of nations, alliances and daily prices. */
  historyDays: number
  /** Anybody who reaches the public listener may sign in as any player. Set by a command, not by a variable. */
  demoSignIn: boolean
  /** The accent colour of the developer settings page, and its logo: an SVG, PNG or WebP file of at most 200 KB. */
  pageColor: string
  pageLogo: string | undefined
  /** Receives requests for higher limits. Contains a secret, probably. */
  operatorWebhookUrl: string | undefined
  /** The URI in /.well-known/security.txt. Undefined: there is no such file. */
  securityContact: string | undefined
  logLevel: LogLevel
  /** Migrate the database at start. The bundled one is always migrated. */
  migrates: boolean
  unknownVariables: UnknownVariable[]
}

/** What differs from command to command. */
export type ConfigDefaults = Pick<
  Config,
  'host' | 'dataDir' | 'logLevel' | 'migrates' | 'webhooksAllowLocal' | 'demoSignIn'
>

/** Each has connections, and handlers of every operation. */
const replicasMax = 8

const serveDefaults: ConfigDefaults = {
  host: '0.0.0.0',
  dataDir: '.chancery',
  logLevel: 'info',
  migrates: false,
  webhooksAllowLocal: false,
  demoSignIn: false,
}

/** One line for each wrong variable: its name and what it must be, with the value unless it may be a secret. */
export class ConfigError extends Error {}

const adminToken = matching(
  /^(?!chk_|whsec_)[\x21-\x7e]{16,}$/,
  'at least 16 printable characters without spaces, and neither an API key nor a webhook secret',
)
const publicUrl: ValueType<string> = {
  allowed: `an http or https URL such as https://api.game.example, or https://api.game.example/eu1 for one of several worlds; no user, password or query; a path of letters, digits, "-" and "_" without ${ownNames.join(', ')}`,
  parse(text) {
    const parsed = URL.parse(text)
    if (!parsed || !/^https?:$/.test(parsed.protocol)) return undefined
    const { origin, href } = parsed
    const path = href.startsWith(`${origin}/`) ? href.slice(origin.length).replace(/\/$/, '') : undefined
    return path === '' || (path !== undefined && isBasePath(path)) ? origin + path : undefined
  },
}
const proxies: ValueType<string[]> = {
  allowed:
    'IP addresses (10.0.0.5) and CIDR ranges (10.0.0.0/8), comma separated. A hop count is not accepted, nor a range wider than /8 (IPv6: /7), because clients in it could choose their own address',
  parse(text) {
    const list = text.split(',').map(part => part.trim())
    try {
      createTrustedProxies(list)
      return list
    } catch {
      return undefined
    }
  },
}
const color: ValueType<string> = {
  allowed: 'a colour like #2f5d8a',
  parse: text => (/^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : undefined),
}
const contactUrl = url(['mailto:', 'https:', 'tel:'], 'a mailto:, https: or tel: URI')
const contact: ValueType<string> = {
  ...contactUrl,
  parse: text => (/^[\x21-\x7e]{1,500}$/.test(text) ? contactUrl.parse(text) : undefined),
}
const valkeyUrl = url(
  ['redis:', 'rediss:', 'valkey:', 'valkeys:'],
  'a redis://, rediss://, valkey:// or valkeys:// URL',
)

const databaseUrl = url(['postgres:', 'postgresql:'], 'a postgres:// URL')
const databaseUrls: ValueType<string[]> = {
  allowed: `postgres:// URLs, separated by spaces or commas, at most ${replicasMax}`,
  parse(text) {
    // A password may contain a comma.
    const urls = text.trim().split(/[\s,]+(?=postgres(?:ql)?:)/)
    const areValid = urls.every(part => !/\s|,\w+:\/\//.test(part) && databaseUrl.parse(part) !== undefined)
    return areValid && urls.length <= replicasMax ? urls : undefined
  },
}

const directoryOrNone: ValueType<string> = {
  allowed: `${directory.allowed}, or none`,
  parse: text => (text === 'none' ? text : directory.parse(text)),
}
const eventsKept: ValueType<EventsKept> = {
  allowed: `a number of days or of eras, such as "730 days" or "3 eras": from ${daysKeptMin} to 36500 days, or 1 to 100 eras`,
  parse(text) {
    const [, digits, unit] = /^(\d{1,5}) *(days?|eras?)$/.exec(text.trim()) ?? []
    const count = Number(digits)
    if (unit?.startsWith('day')) return count >= daysKeptMin && count <= 36_500 ? { days: count } : undefined
    return unit !== undefined && count >= 1 && count <= 100 ? { eras: count } : undefined
  },
}

/**
 * Reads the environment: the only place that does.
 * @throws {ConfigError}
 */
export function readConfig(env: Environment, overrides: Partial<ConfigDefaults> = {}): Config {
  const defaults = { ...serveDefaults, ...overrides }
  const { read, readTlsFiles, addProblem, problems, unknown } = createVariableReader(env)
  const dataDir = read('CHANCERY_DATA_DIR', directory, resolve(defaults.dataDir))
  const archiveDir = read('CHANCERY_EVENTS_ARCHIVE', directoryOrNone, join(dataDir, 'events'))
  const keyLimit = read('CHANCERY_KEY_LIMIT', count, limits.keyCalls)
  const config = {
    host: read('CHANCERY_HOST', hostName, defaults.host),
    port: read('CHANCERY_PORT', port, 8080),
    operatorHost: read('CHANCERY_OPERATOR_HOST', hostName, '127.0.0.1'),
    operatorPort: read('CHANCERY_OPERATOR_PORT', port, 8081),
    adminToken: read('CHANCERY_ADMIN_TOKEN', adminToken, undefined),
    hasSenderToken: read('CHANCERY_OPERATOR_TOKEN', matching(/./, 'a token'), undefined) !== undefined,
    operatorTls: readTlsFiles('CHANCERY_OPERATOR_TLS_CERT', 'CHANCERY_OPERATOR_TLS_KEY'),
    sharesPorts: read('CHANCERY_SHARE_PORTS', flag, false),
    drainSeconds: read('CHANCERY_DRAIN_SECONDS', integer(0, 300, 'a whole number from 0 to 300'), 5),
    publicUrl: read('CHANCERY_PUBLIC_URL', publicUrl, undefined),
    dataDir,
    databaseUrl: read('CHANCERY_DATABASE_URL', databaseUrl, undefined),
    readDatabaseUrls: read('CHANCERY_READ_DATABASE_URL', databaseUrls, []),
    replicaLagMaxMs:
      1_000 * read('CHANCERY_REPLICA_LAG_SECONDS', integer(1, 60, 'a whole number from 1 to 60'), 1),
    databaseNamesStatements: read('CHANCERY_DATABASE_STATEMENT_NAMES', flag, true),
    gameFile: read('CHANCERY_GAME_FILE', file, undefined),
    tls: readTlsFiles('CHANCERY_TLS_CERT', 'CHANCERY_TLS_KEY'),
    valkeyUrl: read('CHANCERY_VALKEY_URL', valkeyUrl, undefined),
    trustedProxies: read('CHANCERY_TRUSTED_PROXIES', proxies, []),
    anonymousLimit: read('CHANCERY_ANONYMOUS_LIMIT', count, limits.anonymousCalls),
    keyLimit,
    playerLimit: read('CHANCERY_PLAYER_LIMIT', count, limits.keysPerPlayer * keyLimit),
    streamsPerKey: read('CHANCERY_STREAMS_PER_KEY', count, limits.streamsPerKey),
    streamsPerAddress: read('CHANCERY_STREAMS_PER_IP', count, limits.streamsPerAddress),
    webhooksAllowLocal: read('CHANCERY_WEBHOOKS_ALLOW_LOCAL', flag, defaults.webhooksAllowLocal),
    webhooksInFlight: read('CHANCERY_WEBHOOKS_IN_FLIGHT', integer(1, 100, 'a whole number from 1 to 100'), 8),
    requestLogRowsMax: read(
      'CHANCERY_JOURNAL_ROWS',
      integer(0, 999_999_999, 'a whole number from 0'),
      2_000_000,
    ),
    eventsKept: read('CHANCERY_EVENTS_KEEP', eventsKept, undefined),
    eventsArchiveDir: archiveDir === 'none' ? undefined : archiveDir,
    historyDays: read(
      'CHANCERY_HISTORY_DAYS',
      integer(1, 3_660, 'a whole number from 1 to 3660'),
      limits.historyDays,
    ),
    demoSignIn: defaults.demoSignIn,
    pageColor: read('CHANCERY_PAGE_COLOR', color, '#2f5d8a'),
    pageLogo: read('CHANCERY_PAGE_LOGO', file, undefined),
    operatorWebhookUrl: read(
      'CHANCERY_OPERATOR_WEBHOOK_URL',
      url(['https:', 'http:'], 'an http or https URL'),
      undefined,
    ),
    securityContact: read('CHANCERY_SECURITY_CONTACT', contact, undefined),
    logLevel: read('CHANCERY_LOG_LEVEL', oneOf(logLevels), defaults.logLevel),
    migrates: defaults.migrates,
  }
  if (config.databaseUrl === undefined && config.readDatabaseUrls.length > 0)
    addProblem(
      'CHANCERY_READ_DATABASE_URL: set CHANCERY_DATABASE_URL too; the bundled PostgreSQL has no replicas',
    )
  if (problems().length > 0) throw new ConfigError(problems().join('\n'))
  return { ...config, unknownVariables: unknown() }
}
