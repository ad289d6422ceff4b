/**
 * Where public reads come from: the primary, or replicas of it (decision 0055). A process reads from one replica, the first of its list that
 * is close enough, and else from the primary. Everything with a key's private fields, and all that is written, is the primary's.
 */
import { isPoolBusy, isStatementTimeout, isUnavailable } from './database-errors.ts'
import type { PublicPools } from './pools.ts'
import type { Heartbeat, Pulse } from './pulse.ts'
import type { Replica } from './replica.ts'

/** A server, and the world version that its responses have at least: what is cached for that version is never older. */
export interface ReadChoice {
  /** Its index in `pools`: 0 for the primary. */
  server: number
  /** Undefined while the primary does not respond. */
  version: number | undefined
}

export interface Reads {
  /** The pools of each server, the primary's first. */
  pools: readonly PublicPools[]
  choose(): ReadChoice
  /** Runs `read` on a server; again on the primary where a replica fails, or does not have what is requested. */
  run<T>(server: number, read: (server: number) => Promise<T>): Promise<T>
}

/** Reads of a process without replicas. */
export function createPrimaryReads(pulse: Pick<Pulse, 'current'>, pools: PublicPools): Reads {
  let choice: ReadChoice = { server: 0, version: undefined }
  return {
    pools: [pools],
    choose() {
      const version = pulse.current()?.worldVersion
      if (version !== choice.version) choice = { server: 0, version }
      return choice
    },
    run: (server, read) => read(server),
  }
}

export interface ReplicaReadsOptions {
  pulse: Pick<Pulse, 'current'>
  primary: PublicPools
  /** In the order in which they are preferred. */
  replicas: readonly Replica[]
  /** Called when a replica is read from now on, and with why when it is not any more. */
  onChange(replica: Replica, problem: string | undefined): void
  /** Called before each read. */
  onRead?(server: string): void
  /**
   * For how long a replica has to be close enough before it is read; three times as long where it is behind the last response of the primary
   * at each look. Default: a second, in which its state is read five times.
   */
  waitMs?: number
}

/** A replica is left after this number of reads in a row that reached their time limit. */
const timeoutsMax = 3

export interface ReplicaReads extends Reads {
  /** Looks at the replicas, also while there are no requests. */
  watch(): void
}

export function createReplicaReads(options: ReplicaReadsOptions): ReplicaReads {
  const { pulse, primary, replicas, onChange, onRead, waitMs = 1_000 } = options
  const states = replicas.map(replica => ({
    replica,
    /** Since when it has been close enough. */
    closeSince: undefined as number | undefined,
    canBeRead: false,
    /** Time limits that were reached since the last response. */
    timeouts: 0,
  }))
  const names = ['primary', ...replicas.map(replica => replica.name)]
  let choice: ReadChoice = { server: 0, version: undefined }
  let newest = Number.NEGATIVE_INFINITY

  function leave(state: (typeof states)[number], problem: string): void {
    state.closeSince = undefined
    state.timeouts = 0
    if (!state.canBeRead) return
    state.canBeRead = false
    onChange(state.replica, problem)
  }

  /** Whether a replica can be read: it has been close enough for a while, and the process does not go back to an older state for it. */
  function canRead(state: (typeof states)[number], heartbeat: Heartbeat): boolean {
    const { replica } = state
    const problem = replica.problem(heartbeat)
    if (problem !== undefined) {
      leave(state, problem)
      return false
    }
    const now = performance.now()
    state.closeSince ??= now
    if (state.canBeRead) return true
    const closeMs = now - state.closeSince
    if (closeMs < waitMs || (replica.version(heartbeat) < newest && closeMs < 3 * waitMs)) return false
    state.canBeRead = true
    onChange(replica, undefined)
    return true
  }

  function choose(): ReadChoice {
    const heartbeat = pulse.current()
    const index = heartbeat ? states.findIndex(state => canRead(state, heartbeat)) : -1
    const version = heartbeat && (replicas[index]?.version(heartbeat) ?? heartbeat.worldVersion)
    if (choice.server !== index + 1 || choice.version !== version) choice = { server: index + 1, version }
    newest = Math.max(newest, version ?? newest)
    return choice
  }

  /** Whether a replica is unavailable. A conflict with the replay of a change does not show it. */
  const isLost = (error: unknown) =>
    isUnavailable(error) && !/^(40|55)/.test(String((error as { code?: unknown }).code))

  return {
    pools: [primary, ...replicas.map(({ pools }) => pools)],
    choose,
    async run(server, read) {
      onRead?.(names[server] ?? '')
      const state = states[server - 1]
      if (!state) return read(0)
      try {
        const result = await read(server)
        state.timeouts = 0
        return result
      } catch (error) {
        // The primary would be as busy, and the caller has waited long enough.
        if (isPoolBusy(error)) throw error
        if (isStatementTimeout(error)) {
          state.timeouts += 1
          if (state.timeouts === timeoutsMax) leave(state, 'is slow')
          throw error
        }
        if (isLost(error)) leave(state, 'does not respond')
        onRead?.('primary')
        return read(0)
      }
    },
    watch() {
      const heartbeat = pulse.current()
      if (heartbeat) for (const state of states) canRead(state, heartbeat)
    },
  }
}
