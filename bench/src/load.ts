/** The load: requests written in advance, sent once (`fetchOnce`) or for some seconds by wrk (`runWrk`). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describeEnd, describeFailure } from '../../server/src/store/embedded/processes.ts'
import { pinned, type Side } from './machine.ts'

export interface BenchRequest {
  /** Path and query. */
  path: string
  headers?: Record<string, string>
  /** JSON; makes it a POST. */
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

/** Sends a request on a connection of its own, with the headers of the load and no others. */
export function fetchOnce(url: string, { path, headers, body }: BenchRequest): Promise<RecordedResponse> {
  return new Promise((resolve, reject) => {
    const options = {
      agent: false,
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    }
    const req = request(url, options, res => {
      const chunks: Buffer[] = []
      res.on('data', chunk => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () => {
        const pairs = Array.from({ length: res.rawHeaders.length / 2 }, (_, index): [string, string] => [
          res.rawHeaders[index * 2] ?? '',
          res.rawHeaders[index * 2 + 1] ?? '',
        ])
        resolve({
          status: res.statusCode ?? 0,
          headers: pairs.filter(([name]) => !connectionHeaders.has(name.toLowerCase())),
          body: Buffer.concat(chunks),
        })
      })
    })
    req.on('error', reject)
    req.end(body)
  })
}

export const headerOf = ({ headers }: RecordedResponse, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1]

/** Written once, before the measurement: a generator that formats requests while it runs measures itself. */
function wireText({ path, headers = {}, body }: BenchRequest): string {
  const lines = [
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  if (body !== undefined)
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}

export interface LoadOptions {
  url: string
  requests: readonly BenchRequest[]
  /** Keep-alive connections with one request at a time on each. */
  connections: number
  seconds: number
  side?: Side
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
}

const script = fileURLToPath(new URL('requests.lua', import.meta.url))

/**
 * Runs wrk. A generator written in JavaScript uses as much processor time as the servers that it measures, and so flatters the slow
 * ones. Rejects if a request had no response, or had a status from 400 on.
 */
export async function runWrk(options: LoadOptions): Promise<LoadResult> {
  const { url, requests, connections, seconds, side, allowsErrors } = options
  const directory = await mkdtemp(join(tmpdir(), 'chancery-bench-'))
  try {
    const file = join(directory, 'requests')
    await writeFile(file, requests.map(wireText).join('\x1e'))
    const sizes = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s']
    const [program, ...args] = pinned(side, ['wrk', ...sizes, '-s', script, url, '--', file])
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const closed = once(child, 'close')
    const output = await text(child.stdout)
    const [code, signal] = await closed
    const line = /^measured (.*)$/m.exec(output)?.[1]
    if (code !== 0 || line === undefined)
      throw new Error(`wrk: ${describeFailure({ ended: describeEnd(code, signal), output })}`)
    const { requests: count, errors, broken, late, microseconds, p50, p99 } = JSON.parse(line)
    if (broken + late + (allowsErrors ? 0 : errors) > 0 || count === 0)
      throw new Error(
        `${url}: of ${count} requests ${errors} had an error status, ${broken} lost their connection and ${late} timed out`,
      )
    const perSecond = count / (microseconds / 1e6)
    return { requests: count, errors, perSecond, p50Ms: p50 / 1000, p99Ms: p99 / 1000 }
  } finally {
    await rm(directory, { recursive: true })
  }
}
