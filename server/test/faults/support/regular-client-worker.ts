// The client of regular-client.ts, in a thread of its own, so that the work of the test does not delay it.
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Measured, RegularClientOptions, RegularRequest } from './regular-client.ts'

const { url, baselineUrl, path, headers, everyMs } = workerData as Required<RegularClientOptions> & {
  url: string
  baselineUrl: string
}
const keepAlive = new http.Agent({ keepAlive: true, maxSockets: 1 })
const timeoutMs = 20_000

function send(url: string, agent: http.Agent | false): Promise<RegularRequest> {
  const startedAt = performance.now()
  return new Promise(resolve => {
    const finish = (status: number | string, remaining: number) =>
      resolve({ status, remaining, ms: performance.now() - startedAt })
    const request = http.get(url, { agent, headers, timeout: timeoutMs }, response => {
      const { statusCode = 0, headers } = response
      response.resume().on('end', () => finish(statusCode, Number(headers['x-ratelimit-remaining'])))
    })
    request.on('timeout', () => request.destroy(new Error('timeout')))
    request.on('error', error => finish(error.message, Number.NaN))
  })
}

const measured: Measured = { requests: [], baseline: [] }
let isOver = false
parentPort?.on('message', () => {
  isOver = true
})
while (!isOver || measured.requests.length === 0) {
  // On a kept connection and on a new one, in turn.
  const agent = measured.requests.length % 2 === 0 ? keepAlive : false
  measured.baseline.push(await send(baselineUrl, false))
  measured.requests.push(await send(url + path, agent))
  await sleep(everyMs)
}
keepAlive.destroy()
parentPort?.postMessage(measured)
parentPort?.close()
