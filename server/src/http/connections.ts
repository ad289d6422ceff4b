import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Counter, Gauge, type Registry } from 'prom-client'
import { subjectOfAddress } from '../limits/index.ts'
import { connectionsMax } from './connections-max.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/** How long a connection may take, in ms. */
export interface ConnectionTimings {
  /** Until the head of a request is there. */
  headMs: number
  /** Until the whole request is there. */
  requestMs: number
  /** While a call is under way and nothing moves on the connection. Longer than between two heartbeats of a stream. */
  stalledMs: number
  /** Between two calls. */
  idleMs: number
  /** How often head and request are looked at. */
  checkMs: number
}

export const usualTimings: ConnectionTimings = {
  headMs: 10_000,
  requestMs: 30_000,
  stalledMs: 60_000,
  idleMs: 72_000,
  checkMs: 1_000,
}

export interface ConnectionRules {
  trusted: TrustedProxies
  registry: Registry
  /** All that are open at a time. */
  connectionsMax?: number
}

/** The part of all connections that one caller may hold. */
const shareOfOne = 1 / 4

/** From this part on, whoever asks nothing makes room. */
const crowdedFrom = 3 / 4

const roomEveryMs = 1_000

/**
 * Bounds what connections take: all of them, and those of one IPv4 address or IPv6 /64, so that nobody keeps others out. A trusted
 * proxy speaks for many, and has no bound of its own. Who is refused finds the connection closed.
 */
export function boundConnections(
  server: Server,
  { trusted, registry, connectionsMax: max = connectionsMax() }: ConnectionRules,
): void {
  const open = new Map<string, number>()
  let count = 0
  let madeRoomAt = Number.NEGATIVE_INFINITY
  const registers = [registry]
  const refused = new Counter({
    name: 'chancery_connections_refused_total',
    help: 'Connections that were closed at once: one address holds too many (address), or all together are too many (all).',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of ['address', 'all']) refused.inc({ reason }, 0)
  new Gauge({
    name: 'chancery_connections_open',
    help: 'Connections to the public listener that are open.',
    registers,
    collect() {
      this.set(count)
    },
  })

  server.maxConnections = max
  server.on('drop', () => refused.inc({ reason: 'all' }))

  function makeRoom(): void {
    const now = performance.now()
    if (count < max * crowdedFrom || now - madeRoomAt < roomEveryMs) return
    madeRoomAt = now
    server.closeIdleConnections()
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket
    const subject = subjectOfAddress(remoteAddress)
    const held = open.get(subject) ?? 0
    if (held >= max * shareOfOne && !trusted.includes(remoteAddress)) {
      refused.inc({ reason: 'address' })
      socket.destroy()
      return
    }
    open.set(subject, held + 1)
    count += 1
    socket.once('close', () => {
      const left = (open.get(subject) ?? 1) - 1
      if (left === 0) open.delete(subject)
      else open.set(subject, left)
      count -= 1
    })
    makeRoom()
  })
}
