import { isAbsolute, resolve } from 'node:path'
import { limits } from '@chancery/contract'
import { nearestName } from '../http/nearest-name.ts'
import { createTrustedProxies } from '../http/trusted-proxies.ts'
import { type LogLevel, logLevels } from '../telemetry/log.ts'

/** Everything that an operator may set. */
export interface Config {
  host: string
  port: number
  operatorHost: string
  operatorPort: number
  adminToken: string | undefined
  /** CHANCERY_OPERATOR_TOKEN is set: a token with which commands send, and never the main token. */
  hasSenderToken: boolean
  operatorTls: TlsFiles | undefined
  /** Several processes listen on one port, and the system shares out the connections. */
  sharesPorts: boolean
  /** How long a process that is to end goes on answering while it says that it does. */
  drainSeconds: number
  publicUrl: string | undefined
  dataDir: string
  databaseUrl: string | undefined
  /** Statement names are per session; a pooler that shares sessions needs them off. */
  databaseNamesStatements: boolean
  gameFile: string | undefined
  tls: TlsFiles | undefined
  valkeyUrl: string | undefined
  trustedProxies: string[]
  anonymousLimit: number
  keyLimit: number
  playerLimit: number
  streamsPerKey: number
  streamsPerAddress: number
  webhooksAllowLocal: boolean
  webhooksInFlight: number
  journalRows: number
  /** Whether anybody who reaches the public listener may sign in as any player. Commands decide it, no variable does. */
  demoSignIn: boolean
  pageColor: string
  pageLogo: string | undefined
  /** Where security researchers report problems, as a URI. */
  securityContact: string | undefined
  logLevel: LogLevel
  /** Bring the database to this version at start. The bundled one is always brought. */
  migrates: boolean
  /** Variables with our prefix that nothing reads. */
  unknownVariables: UnknownVariable[]
}

export interface UnknownVariable {
  name: string
  /** What was probably meant. */
  nearest: string | undefined
}

/** Paths of a certificate chain and its private key, both PEM. */
export interface TlsFiles {
  certFile: string
  keyFile: string
}

/** What differs from command to command. */
export interface ConfigDefaults {
  host: string
  dataDir: string
  logLevel: LogLevel
  migrates: boolean
  webhooksAllowLocal: boolean
  demoSignIn: boolean
}

/** Every wrong variable, a line each: its name, what is wrong with the value, what is allowed. */
export class ConfigError extends Error {}

const serveDefaults: ConfigDefaults = {
  host: '0.0.0.0',
  dataDir: '.chancery',
  logLevel: 'info',
  migrates: false,
  webhooksAllowLocal: false,
  demoSignIn: false,
}

/** Variables whose value is a secret, or has a password in it. */
const holdsSecret = new Set(['CHANCERY_ADMIN_TOKEN', 'CHANCERY_DATABASE_URL', 'CHANCERY_VALKEY_URL'])

/** Read by other commands, by clients, by the compose file, and by tests. */
const readElsewhere =
  /^CHANCERY_(OPERATOR_URL|GAME_DATABASE_URL|URL|KEY|BASE|WEBHOOK_SECRET|SITE|VERSION|SEED|REQUIRE_BROWSER|(TEST|ACCEPTANCE)_.*)$/
const unknownMax = 20
const nameLengthMax = 64

function findUnknown(env: Environment, known: ReadonlySet<string>): UnknownVariable[] {
  return Object.keys(env)
    .filter(name => name.startsWith('CHANCERY_') && !known.has(name) && !readElsewhere.test(name))
    .slice(0, unknownMax)
    .map(name => name.slice(0, nameLengthMax))
    .map(name => ({ name, nearest: nearestName(name, known) }))
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the environment: the only place that does. An empty variable counts as not set. */
export function readConfig(env: Environment, overrides: Partial<ConfigDefaults> = {}): Config {
  const defaults = { ...serveDefaults, ...overrides }
  const problems: string[] = []
  const known = new Set<string>()

  /** Reads one variable; a value that `parse` does not take is a problem that says what is `allowed`. */
  function read<T>(name: string, fallback: T, allowed: string, parse: (text: string) => T | undefined): T {
    known.add(name)
    const text = env[name]
    if (text === undefined || text === '') return fallback
    const value = parse(text)
    if (value !== undefined) return value
    // A secret, also one in the wrong variable, must not end up in a log: only short plain words are quoted.
    problems.push(
      `${name}: ${!holdsSecret.has(name) && /^[\w.:-]{1,40}$/.test(text) ? `"${text}"` : 'the value'} is not allowed; it takes ${allowed}`,
    )
    return fallback
  }
  const anyText = (text: string) => text
  const port = (text: string) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined)
  const calls = (text: string) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined)
  const flag = (text: string) => (text === 'true' ? true : text === 'false' ? false : undefined)
  const urlOf =
    (...protocols: string[]) =>
    (text: string) =>
      URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined
  const path = (text: string) => (isAbsolute(text) ? text : resolve(text))

  /** Two files that are nothing without each other. */
  const tlsFiles = (certName: string, keyName: string): TlsFiles | undefined => {
    const certFile = read<string | undefined>(certName, undefined, 'a file', path)
    const keyFile = read<string | undefined>(keyName, undefined, 'a file', path)
    if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile }
    if (certFile !== undefined || keyFile !== undefined)
      problems.push(`${certFile === undefined ? certName : keyName}: is missing; set both or neither`)
    return undefined
  }

  // The address of the public listener: the API, its reference, health.
  const host = read('CHANCERY_HOST', defaults.host, 'an address or a host name', anyText)
  const publicPort = read('CHANCERY_PORT', 8080, 'a port from 0 to 65535; 0 takes a free one', port)

  // The address of the private listener for the game's servers. It belongs on a private network.
  const operatorHost = read('CHANCERY_OPERATOR_HOST', '127.0.0.1', 'an address or a host name', anyText)
  const operatorPort = read(
    'CHANCERY_OPERATOR_PORT',
    8081,
    'a port from 0 to 65535; 0 takes a free one',
    port,
  )
  // The main token of the operator listener. Without: made at the first start, in `operator-token` in the data directory.
  const adminToken = read<string | undefined>(
    'CHANCERY_ADMIN_TOKEN',
    undefined,
    'at least 16 printable characters without spaces, and neither an API key nor a webhook secret',
    text => (/^(?!chk_|whsec_)[\x21-\x7e]{16,}$/.test(text) ? text : undefined),
  )
  // The token with which commands send. It is often of one role, and must not open the others to whoever holds it.
  const hasSenderToken = read('CHANCERY_OPERATOR_TOKEN', false, 'a token', () => true)

  // Certificate chain and private key (PEM files) of the operator listener. Without both: plain HTTP, for one machine or a private network.
  const operatorTls = tlsFiles('CHANCERY_OPERATOR_TLS_CERT', 'CHANCERY_OPERATOR_TLS_KEY')

  // Whether further processes may listen on the same ports (SO_REUSEPORT), so that several share one without a proxy.
  const sharesPorts = read('CHANCERY_SHARE_PORTS', false, 'true or false', flag)
  // After SIGTERM: for so long /readyz says 503 and every answer closes its connection, before the listeners are closed.
  const drainSeconds = read('CHANCERY_DRAIN_SECONDS', 5, 'a whole number from 0 to 300', text =>
    /^\d{1,3}$/.test(text) && Number(text) <= 300 ? Number(text) : undefined,
  )

  // What callers see in front of the public listener, e.g. https://api.game.example.
  const publicUrl = read<string | undefined>(
    'CHANCERY_PUBLIC_URL',
    undefined,
    'an http or https URL of scheme, host and port, such as https://api.game.example; no user, password, path or query',
    text => {
      const url = urlOf('http:', 'https:')(text) && new URL(text)
      return url && url.href === `${url.origin}/` ? url.origin : undefined
    },
  )
  // Where the bundled database, the operator token and addresses.json are kept.
  const dataDir = read('CHANCERY_DATA_DIR', resolve(defaults.dataDir), 'a directory', path)
  // A PostgreSQL of your own, 15 or newer, instead of the bundled one.
  const databaseUrl = read<string | undefined>(
    'CHANCERY_DATABASE_URL',
    undefined,
    'a postgres:// URL',
    urlOf('postgres:', 'postgresql:'),
  )
  // Whether statements are planned once and kept by name. Turn it off behind a pooler that shares sessions.
  const databaseNamesStatements = read('CHANCERY_DATABASE_STATEMENT_NAMES', true, 'true or false', flag)
  // The game profile: a JSON file with the words in which games differ. Without: the demo game's.
  const gameFile = read<string | undefined>('CHANCERY_GAME_FILE', undefined, 'a file', path)

  // Certificate chain and private key (PEM files) of the public listener. Without both: a proxy ends TLS.
  const tls = tlsFiles('CHANCERY_TLS_CERT', 'CHANCERY_TLS_KEY')

  // Valkey or Redis, which makes limits exact over all processes. Without: limits in memory, per process.
  const valkeyUrl = read<string | undefined>(
    'CHANCERY_VALKEY_URL',
    undefined,
    'a redis://, rediss://, valkey:// or valkeys:// URL',
    urlOf('redis:', 'rediss:', 'valkey:', 'valkeys:'),
  )
  // Proxies whose X-Forwarded-For and X-Request-Id are believed: addresses and ranges, comma separated.
  const trustedProxies = read<string[]>(
    'CHANCERY_TRUSTED_PROXIES',
    [],
    'IP addresses (10.0.0.5) and CIDR ranges (10.0.0.0/8), comma separated. A hop count is not accepted, nor a range wider than /8 (IPv6: /7), because clients in it could choose their own address',
    readProxies,
  )

  // Calls in a window of 60 seconds: without a key, and with a key that has no limit of its own.
  const anonymousLimit = read(
    'CHANCERY_ANONYMOUS_LIMIT',
    limits.anonymousCalls,
    'a whole number from 1',
    calls,
  )
  const keyLimit = read('CHANCERY_KEY_LIMIT', limits.keyCalls, 'a whole number from 1', calls)
  // With all keys of a player together that have no limit of their own.
  const playerLimit = read(
    'CHANCERY_PLAYER_LIMIT',
    limits.keysPerPlayer * keyLimit,
    'a whole number from 1',
    calls,
  )

  // Event streams open at a time: with one key, and without a key from one IPv4 address or IPv6 /64. Of each process.
  const streamsPerKey = read('CHANCERY_STREAMS_PER_KEY', limits.streamsPerKey, 'a whole number from 1', calls)
  const streamsPerAddress = read(
    'CHANCERY_STREAMS_PER_IP',
    limits.streamsPerAddress,
    'a whole number from 1',
    calls,
  )

  // Whether webhooks may go to http URLs and to addresses that are not public. For receivers under development.
  const webhooksAllowLocal = read(
    'CHANCERY_WEBHOOKS_ALLOW_LOCAL',
    defaults.webhooksAllowLocal,
    'true or false',
    flag,
  )
  // Deliveries under way to one endpoint at a time, over all processes.
  const webhooksInFlight = read('CHANCERY_WEBHOOKS_IN_FLIGHT', 8, 'a whole number from 1 to 100', text =>
    /^([1-9]\d?|100)$/.test(text) ? Number(text) : undefined,
  )

  // Rows of the request log, which goes back 7 days (48 hours for calls without a key, which are a quarter of the lines at
  // most): then the oldest make room. A line takes about 250 bytes in the database. 0 switches journal and usage counts off.
  const journalRows = read('CHANCERY_JOURNAL_ROWS', 2_000_000, 'a whole number from 0', text =>
    /^\d{1,9}$/.test(text) ? Number(text) : undefined,
  )

  // The accent colour of the developer settings page, and its logo: an SVG, PNG or WebP file of at most 200 KB. Without: no logo.
  const pageColor = read('CHANCERY_PAGE_COLOR', '#2f5d8a', 'a colour like #2f5d8a', text =>
    /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : undefined,
  )
  const pageLogo = read<string | undefined>('CHANCERY_PAGE_LOGO', undefined, 'a file', path)

  // Where to report a security problem: a mailto:, https: or tel: URI for /.well-known/security.txt. Without: there is no such file.
  const securityContact = read<string | undefined>(
    'CHANCERY_SECURITY_CONTACT',
    undefined,
    'a mailto:, https: or tel: URI',
    text => (/^[\x21-\x7e]{1,500}$/.test(text) ? urlOf('mailto:', 'https:', 'tel:')(text) : undefined),
  )

  const logLevel = read('CHANCERY_LOG_LEVEL', defaults.logLevel, `one of ${logLevels.join(', ')}`, text =>
    logLevels.find(level => level === text),
  )

  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return {
    host,
    port: publicPort,
    operatorHost,
    operatorPort,
    adminToken,
    hasSenderToken,
    operatorTls,
    sharesPorts,
    drainSeconds,
    publicUrl,
    dataDir,
    databaseUrl,
    databaseNamesStatements,
    gameFile,
    tls,
    valkeyUrl,
    trustedProxies,
    anonymousLimit,
    keyLimit,
    playerLimit,
    streamsPerKey,
    streamsPerAddress,
    webhooksAllowLocal,
    webhooksInFlight,
    journalRows,
    demoSignIn: defaults.demoSignIn,
    pageColor,
    pageLogo,
    securityContact,
    logLevel,
    migrates: defaults.migrates,
    unknownVariables: findUnknown(env, known),
  }
}

function readProxies(text: string): string[] | undefined {
  const list = text.split(',').map(part => part.trim())
  try {
    createTrustedProxies(list)
    return list
  } catch {
    return undefined
  }
}
