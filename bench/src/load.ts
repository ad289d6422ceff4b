/** The load: requests written in advance, sent once (`fetchOnce`) or for some seconds by wrk (`runWrk`). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { request as send } from 'undici'
import { describeEnd, describeFailure } from '../../server/src/store/embedded/processes.ts'
import { type Measured, measureCpu, pinned, type Side } from './machine.ts'

export interface BenchRequest {
  /** Path and query. */
  path: string
  headers?: Record<string, string>
  /** Makes it a POST. */
  body?: string
}

/** A response as received, to be compared with others or replayed. */
export interface RecordedResponse {
  status: number
  /** In the order and spelling of the wire, without the headers of the connection. */
  headers: [name: string, value: string][]
  body: Buffer
}

/** Node writes these itself, for every server built on it. */
const connectionHeaders = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding'])

const methodOf = ({ body }: BenchRequest) => (body === undefined ? 'GET' : 'POST')

/** Sends a request with the headers of the load and no others. */
export async function fetchOnce(url: string, request: BenchRequest): Promise<RecordedResponse> {
  const { path, headers = {}, body = null } = request
  const options = { method: methodOf(request), headers, body, reset: true, responseHeaders: 'raw' } as const
  const response = await send(url + path, options)
  const raw = response.headers as unknown as string[]
  const pairs = raw.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : [],
  )
  return {
    status: response.statusCode,
    headers: pairs.filter(([name]) => !connectionHeaders.has(name.toLowerCase())),
    body: Buffer.from(await response.body.arrayBuffer()),
  }
}

export const headerOf = ({ headers }: RecordedResponse, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1]

/** Written once, before the measurement: a generator that formats requests while it runs measures itself. */
function wireText(request: BenchRequest): string {
  const { path, headers = {}, body } = request
  const lines = Object.entries({
    host: '127.0.0.1',
    ...headers,
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${methodOf(request)} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

export interface LoadOptions {
  url: string
  requests: readonly BenchRequest[]
  /** Keep-alive connections with one request at a time on each. */
  connections: number
  seconds: number
  side?: Side
  /** Processes whose processor time is measured meanwhile. */
  pids?: readonly number[]
  /** Whether a status from 400 on is counted instead of failing the run. */
  allowsErrors?: boolean
}

/** Times in milliseconds, from sending a request to the last byte of its response. */
export interface LoadResult {
  requests: number
  /** Of these with a status from 400 on. */
  errors: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  p999Ms: number
}

const script = fileURLToPath(new URL('requests.lua', import.meta.url))

/**
 * Runs wrk. A generator written in JavaScript uses as much processor time as the servers that it measures, and so flatters the slow
 * ones. Rejects if a request had no response, or had a status from 400 on.
 */
export async function runWrk(options: LoadOptions): Promise<LoadResult & Omit<Measured<unknown>, 'value'>> {
  const { url, requests, connections, seconds, side, pids = [], allowsErrors } = options
  const directory = await mkdtemp(join(tmpdir(), 'chancery-bench-'))
  try {
    const file = join(directory, 'requests')
    await writeFile(file, requests.map(wireText).join('\x1e'))
    const sizes = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s']
    const [program, ...args] = pinned(side, ['wrk', ...sizes, '-s', script, url, '--', file])
    const { value: output, ...cost } = await measureCpu(pids, async () => {
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')])
      return code === 0 ? output : describeFailure({ ended: describeEnd(code, signal), output })
    })
    const line = /^measured (.*)$/m.exec(output)?.[1]
    if (line === undefined) throw new Error(`wrk: ${output}`)
    const { requests: count, errors, broken, late, microseconds, ...percentiles } = JSON.parse(line)
    if (broken + late + (allowsErrors ? 0 : errors) > 0 || count === 0)
      throw new Error(
        `${url}: of ${count} requests ${errors} had an error status, ${broken} lost their connection and ${late} timed out`,
      )
    const perSecond = count / (microseconds / 1e6)
    const [p50Ms = 0, p99Ms = 0, p999Ms = 0] = ['p50', 'p99', 'p999'].map(name => percentiles[name] / 1000)
    return { requests: count, errors, perSecond, p50Ms, p99Ms, p999Ms, ...cost }
  } finally {
    await rm(directory, { recursive: true })
  }
}
