import type { ServedRequest } from './request-ring.ts'

export interface MinuteCount {
  keyId: string
  /** Start of the span in Unix milliseconds, as for `hour`. */
  minute: number
  calls: number
  limited: number
}

export interface HourCount {
  keyId: string
  hour: number
  operation: string
  status: number
  /** Empty where the response is not an error, or not about a parameter. */
  errorCode: string
  errorParameter: string
  calls: number
  /** Of these, responses with a Deprecation header. */
  deprecated: number
}

export interface AddressCount {
  address: string
  hour: number
  calls: number
  limited: number
  rejected: number
}

/** The counts since the last `take`. */
export interface Counts {
  minutes: MinuteCount[]
  hours: HourCount[]
  addresses: AddressCount[]
  /** Requests counted. */
  requests: number
  /** Requests not counted for lack of room. */
  uncounted: number
}

export interface UsageCounterBounds {
  /** Distinct combinations of key, minute, operation, status and error between two takes. */
  combinationsMax: number
  /** Distinct addresses per hour. Further ones are counted together. */
  addressesMax: number
}

/** Counts all addresses above the limit. */
export const otherAddresses = 'other'

const minuteMs = 60_000
const hourMs = 3_600_000

/** Counters of one minute by key, operation and outcome. */
type Minute = Map<string, Operations>
type Operations = Map<string, Outcomes>
/** By status; errors by status, code and parameter. */
type Outcomes = Map<number | string, Counter>
type Counter = Omit<HourCount, 'keyId' | 'hour' | 'operation'>

/** Exact counters in bounded memory. */
export function createUsageCounters({ combinationsMax, addressesMax }: UsageCounterBounds) {
  let minutes = new Map<number, Minute>()
  let combinations = 0
  let requests = 0
  let uncounted = 0
  // Kept across takes during their hour, so that the limit of addresses holds per hour.
  const hours = new Map<number, Map<string, AddressCount>>()
  let addresses = 0

  function countKey(keyId: string, served: ServedRequest, at: number): void {
    const { operation, status, isDeprecated } = served
    const errorCode = served.errorCode ?? ''
    const errorParameter = served.errorParameter ?? ''
    const outcome = errorCode === '' ? status : `${status} ${errorCode} ${errorParameter}`
    const index = Math.floor(at / minuteMs)
    let counter = minutes.get(index)?.get(keyId)?.get(operation)?.get(outcome)
    if (!counter) {
      if (combinations >= combinationsMax) {
        uncounted += 1
        return
      }
      counter = { status, errorCode, errorParameter, calls: 0, deprecated: 0 }
      const minute = getOrCreate(minutes, index, newMap<string, Operations>)
      const operations = getOrCreate(minute, keyId, newMap<string, Outcomes>)
      const outcomes = getOrCreate(operations, operation, newMap<number | string, Counter>)
      outcomes.set(outcome, counter)
      combinations += 1
    }
    counter.calls += 1
    if (isDeprecated) counter.deprecated += 1
    requests += 1
  }

  function addressEntry(name: string, at: number): AddressCount {
    const index = Math.floor(at / hourMs)
    const hour = getOrCreate(hours, index, newMap<string, AddressCount>)
    const known = hour.get(name)
    if (known) return known
    if (addresses >= addressesMax && name !== otherAddresses) return addressEntry(otherAddresses, at)
    const made = { address: name, hour: index * hourMs, calls: 0, limited: 0, rejected: 0 }
    hour.set(name, made)
    addresses += 1
    return made
  }

  return {
    count(served: ServedRequest, at: number) {
      const { keyId, address, status } = served
      if (keyId !== null) return countKey(keyId, served, at)
      const entry = addressEntry(address, at)
      entry.calls += 1
      if (status === 429) entry.limited += 1
      else if (status === 401) entry.rejected += 1
      requests += 1
    },

    take(): Counts {
      const taken = { ...byKey(minutes), addresses: takeAddresses(hours), requests, uncounted }
      minutes = new Map()
      combinations = 0
      requests = 0
      uncounted = 0
      const newest = Math.max(...hours.keys())
      for (const hour of hours.keys()) if (hour !== newest) hours.delete(hour)
      addresses = hours.get(newest)?.size ?? 0
      return taken
    },
  }
}

const newMap = <K, V>() => new Map<K, V>()

function getOrCreate<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Aggregates by key: per minute, and per hour with operation, status and error. */
function byKey(counted: ReadonlyMap<number, Minute>): { minutes: MinuteCount[]; hours: HourCount[] } {
  const minutes: MinuteCount[] = []
  const hours = new Map<string, HourCount>()
  for (const [index, minute] of counted) {
    const hour = Math.floor((index * minuteMs) / hourMs) * hourMs
    for (const [keyId, operations] of minute) {
      const total = { keyId, minute: index * minuteMs, calls: 0, limited: 0 }
      for (const [operation, outcomes] of operations) {
        for (const [outcome, { calls, deprecated, ...of }] of outcomes) {
          total.calls += calls
          if (of.status === 429) total.limited += calls
          const empty = () => ({ keyId, hour, operation, ...of, calls: 0, deprecated: 0 })
          const count = getOrCreate(hours, `${keyId} ${hour} ${operation} ${outcome}`, empty)
          count.calls += calls
          count.deprecated += deprecated
        }
      }
      minutes.push(total)
    }
  }
  return { minutes, hours: [...hours.values()] }
}

function takeAddresses(hours: ReadonlyMap<number, ReadonlyMap<string, AddressCount>>): AddressCount[] {
  const taken: AddressCount[] = []
  for (const hour of hours.values()) {
    for (const entry of hour.values()) {
      if (entry.calls === 0) continue
      taken.push({ ...entry })
      entry.calls = 0
      entry.limited = 0
      entry.rejected = 0
    }
  }
  return taken
}
