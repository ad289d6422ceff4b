// An honest caller in a thread of its own, so that what it waits is not what the test does meanwhile. Started by honest.ts.
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Call, RegularClientOptions } from './regular-client.ts'

const { url, control, path, headers, everyMs } = workerData as Required<RegularClientOptions> & {
  url: string
  control: string
}
const kept = new http.Agent({ keepAlive: true, maxSockets: 1 })
const patienceMs = 20_000

function ask(url: string, agent: http.Agent | false): Promise<Call> {
  const startedAt = performance.now()
  const callOf = (status: number | string, remaining: number): Call => ({
    status,
    remaining,
    ms: performance.now() - startedAt,
  })
  return new Promise(resolve => {
    const request = http.get(url, { agent, headers, timeout: patienceMs }, response => {
      const { statusCode = 0, headers: answered } = response
      response
        .resume()
        .on('end', () => resolve(callOf(statusCode, Number(answered['x-ratelimit-remaining']))))
    })
    request.on('timeout', () => request.destroy(new Error('no answer')))
    request.on('error', error => resolve(callOf(error.message, Number.NaN)))
  })
}

const calls: Call[] = []
const controls: Call[] = []
let isOver = false
parentPort?.on('message', () => {
  isOver = true
})
while (!isOver || calls.length === 0) {
  // On a connection that is kept, and on a new one, in turn.
  const agent = calls.length % 2 === 0 ? kept : false
  controls.push(await ask(control, false))
  calls.push(await ask(url + path, agent))
  await sleep(everyMs)
}
kept.destroy()
parentPort?.postMessage({ calls, controls })
parentPort?.close()
