import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeEnd, describeFailure } from '../../server/src/store/embedded/child-failure.ts'
import { type Ask, wireTextOf } from './ask.ts'
import { pinned } from './cores.ts'

const script = fileURLToPath(new URL('requests.lua', import.meta.url))

export interface LoadOrder {
  url: string
  asks: readonly Ask[]
  /** Connections that stay, with one call at a time on each. */
  connections: number
  seconds: number
  /** Whether some may be answered with a status from 400 on. */
  allowsRefusals?: boolean
}

/** What the load saw. Times in milliseconds, from the sending of a call to the last byte of its answer. */
export interface Seen {
  requests: number
  /** Of which answered with a status from 400 on. */
  refused: number
  perSecond: number
  p50Ms: number
  p99Ms: number
}

interface Summary {
  requests: number
  microseconds: number
  p50: number
  p99: number
  refused: number
  broken: number
  late: number
}

/**
 * Runs wrk on the core of the load. One that is written in JavaScript needs as much processor time as the servers that it
 * measures, and so makes the slow ones look good. Rejects where anything was not answered, or was
 * answered with a status from 400 on.
 */
export async function runWrk({ url, asks, connections, seconds, ...order }: LoadOrder): Promise<Seen> {
  const directory = await mkdtemp(join(tmpdir(), 'chancery-bench-'))
  try {
    const file = join(directory, 'requests')
    await writeFile(file, asks.map(wireTextOf).join('\x1e'))
    const sizes = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s']
    const [program, ...args] = pinned('load', ['wrk', ...sizes, '-s', script, url, '--', file])
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', text => {
      output += text
    })
    const [code, signal] = await once(child, 'close')
    const line = /^measured (.*)$/m.exec(output)?.[1]
    if (code !== 0 || line === undefined)
      throw new Error(`wrk: ${describeFailure({ ended: describeEnd(code, signal), output })}`)
    const summary = JSON.parse(line) as Summary
    const bad = summary.broken + summary.late + (order.allowsRefusals ? 0 : summary.refused)
    if (bad > 0 || summary.requests === 0) throw new Error(`${url}: ${complaint(summary)}`)
    return seenIn(summary)
  } finally {
    await rm(directory, { recursive: true })
  }
}

const complaint = ({ requests, refused, broken, late }: Summary) =>
  `of ${requests} calls ${refused} were refused, ${broken} broke off and ${late} got no answer in time`

const seenIn = ({ requests, refused, microseconds, p50, p99 }: Summary): Seen => ({
  requests,
  refused,
  perSecond: requests / (microseconds / 1e6),
  p50Ms: p50 / 1000,
  p99Ms: p99 / 1000,
})
