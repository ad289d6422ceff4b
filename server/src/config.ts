import { isAbsolute, resolve } from 'node:path'
import { limits } from '@chancery/contract'
import { createTrustedProxies } from './http/trusted-proxies.ts'
import { type LogLevel, logLevels } from './telemetry/log.ts'

/** Everything that an operator may set. */
export interface Config {
  host: string
  port: number
  operatorHost: string
  operatorPort: number
  operatorToken: string | undefined
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
  streamsPerKey: number
  streamsPerAddress: number
  webhooksAllowLocal: boolean
  webhooksInFlight: number
  journalRows: number
  /** Whether anybody who reaches the public listener may sign in as any player. Commands decide it, no variable does. */
  demoSignIn: boolean
  pageColor: string
  pageLogo: string | undefined
  logLevel: LogLevel
  /** Bring the database to this version at start. The bundled one is always brought. */
  migrates: boolean
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
const holdsSecret = new Set(['CHANCERY_OPERATOR_TOKEN', 'CHANCERY_DATABASE_URL', 'CHANCERY_VALKEY_URL'])

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the environment: the only place that does. An empty variable counts as not set. */
export function readConfig(env: Environment, overrides: Partial<ConfigDefaults> = {}): Config {
  const defaults = { ...serveDefaults, ...overrides }
  const problems: string[] = []

  /** Reads one variable; a value that `parse` does not take is a problem that says what is `allowed`. */
  function read<T>(name: string, fallback: T, allowed: string, parse: (text: string) => T | undefined): T {
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
  // The bearer token of the operator listener. Without: made at the first start, in `operator-token` in the data directory.
  const operatorToken = read<string | undefined>(
    'CHANCERY_OPERATOR_TOKEN',
    undefined,
    'at least 16 printable characters without spaces',
    text => (/^[\x21-\x7e]{16,}$/.test(text) ? text : undefined),
  )

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
    'an http or https URL',
    urlOf('http:', 'https:'),
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
    'addresses and ranges like 10.0.0.0/8, comma separated',
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

  // Lines of the request journal, which goes back 7 days (48 hours for calls without a key, which are a quarter of the lines at
  // most): then the oldest make room. A line takes about 250 bytes in the database. 0 switches journal and usage counts off.
  const journalRows = read('CHANCERY_JOURNAL_ROWS', 2_000_000, 'a whole number from 0', text =>
    /^\d{1,9}$/.test(text) ? Number(text) : undefined,
  )

  // The accent colour of the developer settings page, and its logo: an SVG, PNG or WebP file of at most 200 KB. Without: no logo.
  const pageColor = read('CHANCERY_PAGE_COLOR', '#2f5d8a', 'a colour like #2f5d8a', text =>
    /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : undefined,
  )
  const pageLogo = read<string | undefined>('CHANCERY_PAGE_LOGO', undefined, 'a file', path)

  const logLevel = read('CHANCERY_LOG_LEVEL', defaults.logLevel, `one of ${logLevels.join(', ')}`, text =>
    logLevels.find(level => level === text),
  )

  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return {
    host,
    port: publicPort,
    operatorHost,
    operatorPort,
    operatorToken,
    operatorTls,
    sharesPorts,
    drainSeconds,
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    dataDir,
    databaseUrl,
    databaseNamesStatements,
    gameFile,
    tls,
    valkeyUrl,
    trustedProxies,
    anonymousLimit,
    keyLimit,
    streamsPerKey,
    streamsPerAddress,
    webhooksAllowLocal,
    webhooksInFlight,
    journalRows,
    demoSignIn: defaults.demoSignIn,
    pageColor,
    pageLogo,
    logLevel,
    migrates: defaults.migrates,
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
