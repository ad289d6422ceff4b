import { BlockList } from 'node:net'
import { limits, type operatorOperations, type ResponseOf } from '@chancery/contract'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { publishChange } from '../access/store.ts'
import { type Database, type DatabasePool, sql } from '../store/database.ts'
import type { Pulse } from '../store/pulse.ts'
import { createSharedRun } from '../store/shared-run.ts'
import { addressBucket, type LimitStore } from './rate-limit.ts'

export type AddressLimit = ResponseOf<typeof operatorOperations.addressesRemoveLimit>

/** Wider ranges are probably a mistake. */
const bitsMin = { ipv4: 8, ipv6: 16 }

/** The address or range in the form in which it is stored; undefined for any other text, and for a range that is too wide. */
export function parseAddressRange(text: string): string | undefined {
  const isRange = text.includes('/')
  if (!isRange)
    return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
      ? addressBucket(text)
      : undefined
  if (!ipaddr.isValidCIDR(text)) return undefined
  const [ip, bits] = ipaddr.parseCIDR(text)
  if (bits < bitsMin[ip.kind()] || (ip instanceof ipaddr.IPv6 && (ip.isIPv4MappedAddress() || bits > 64)))
    return undefined
  if (ip instanceof ipaddr.IPv4)
    return bits === 32 ? ip.toString() : `${ipaddr.IPv4.networkAddressFromCIDR(text)}/${bits}`
  return `${ipaddr.IPv6.networkAddressFromCIDR(text).toRFC5952String()}/${bits}`
}

const columns = sql`address, calls_per_minute as "limit", note, created_at, expires_at`

export const listAddressLimits = (db: Database): Promise<AddressLimit[]> =>
  db.rows<AddressLimit>(sql`
    select ${columns} from chancery_access.address_limit where expires_at > clock_timestamp() order by address`)

/** Undefined where it would exceed their number. */
export const setAddressLimit = (
  pool: DatabasePool,
  address: string,
  { limit, note, expires_at }: Pick<AddressLimit, 'limit' | 'note' | 'expires_at'>,
): Promise<AddressLimit | undefined> =>
  pool.transaction(async db => {
    const row = await db.first<AddressLimit>(sql`
      insert into chancery_access.address_limit (address, calls_per_minute, note, created_at, expires_at)
      select ${address}, ${limit}, ${note}, date_trunc('milliseconds', clock_timestamp()), ${expires_at}::timestamptz
      where exists (select from chancery_access.address_limit where address = ${address})
        or (select count(*) from chancery_access.address_limit) < ${limits.addressLimits}
      on conflict (address) do update set calls_per_minute = excluded.calls_per_minute, note = excluded.note,
        created_at = excluded.created_at, expires_at = excluded.expires_at
      returning ${columns}`)
    if (row) await publishChange(db)
    return row
  })

export const removeAddressLimit = (pool: DatabasePool, address: string): Promise<AddressLimit | undefined> =>
  pool.transaction(async db => {
    const row = await db.first<AddressLimit>(
      sql`delete from chancery_access.address_limit where address = ${address} returning ${columns}`,
    )
    if (row) await publishChange(db)
    return row
  })

/** Ended limits hold addresses of persons. */
export async function deleteEndedAddressLimits(db: Database): Promise<void> {
  await db.rows(sql`delete from chancery_access.address_limit where expires_at < clock_timestamp()`)
}

interface KnownRange {
  bits: number
  limit: number
  endsAt: number
  addresses: BlockList
}

/** The limits of addresses in this process, read again when they change. */
export function createAddressLimits({
  db,
  pulse,
  onError,
}: {
  db: Database
  pulse: Pick<Pulse, 'onChange' | 'now'>
  onError: (error: unknown) => void
}) {
  let ranges: KnownRange[] = []
  let accessVersion: number | undefined
  let retry: NodeJS.Timeout | undefined
  const found = new LRUCache<string, KnownRange | typeof none>({ max: 10_000 })

  async function read(): Promise<void> {
    const rows = await listAddressLimits(db)
    // The narrowest first.
    ranges = rows.map(rangeOf).toSorted((one, other) => other.bits - one.bits)
    found.clear()
  }
  const { fresh: refresh } = createSharedRun(read)
  function reload(): void {
    clearTimeout(retry)
    refresh().catch(error => {
      onError(error)
      retry = setTimeout(reload, retryMs).unref()
    })
  }
  const unsubscribe = pulse.onChange(heartbeat => {
    if (heartbeat.accessVersion === accessVersion) return
    accessVersion = heartbeat.accessVersion
    reload()
  })

  /** The limit of an address, as `addressBucket` writes it; undefined where it has none of its own. */
  function limitOf(bucket: string): number | undefined {
    let range = found.get(bucket)
    if (range === undefined) {
      const ip = bucket.replace(/\/64$/, '')
      range = ranges.find(({ addresses }) => addresses.check(ip, familyOf(ip))) ?? none
      found.set(bucket, range)
    }
    return range === none || range.endsAt <= pulse.now() ? undefined : range.limit
  }

  return {
    refresh,
    limitOf,
    isEmpty: () => ranges.length === 0,
    close(): void {
      unsubscribe()
      clearTimeout(retry)
    },
  }
}

const retryMs = 1_000
const none = Symbol('no limit of its own')

const familyOf = (ip: string) => (ip.includes(':') ? 'ipv6' : 'ipv4')

function rangeOf({ address, limit, expires_at }: AddressLimit): KnownRange {
  const [ip = '', mask] = address.split('/')
  const family = familyOf(ip)
  const bits = Number(mask ?? 32)
  const addresses = new BlockList()
  addresses.addSubnet(ip, bits, family)
  return { bits, limit, endsAt: Date.parse(expires_at), addresses }
}

/** Applies the limits of addresses to the windows of requests without a key. A blocked address has none for pages either. */
export function withAddressLimits(
  store: LimitStore,
  { limitOf, isEmpty }: Pick<ReturnType<typeof createAddressLimits>, 'limitOf' | 'isEmpty'>,
): LimitStore {
  const limitFor = (subject: string, limit: number): number => {
    if (isEmpty()) return limit
    const [, kind, bucket] = /^(?:(\w+):)?ip:(.*)$/.exec(subject) ?? []
    const own = bucket === undefined ? undefined : limitOf(bucket)
    return own === undefined || (kind !== undefined && own > 0) ? limit : own
  }
  return {
    consume: (subject, limit, shared) => store.consume(subject, limitFor(subject, limit), shared),
    peek: (subject, limit) => store.peek(subject, limitFor(subject, limit)),
    close: () => store.close(),
  }
}
