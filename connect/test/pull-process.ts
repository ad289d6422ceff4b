/**
 * A puller or drainer as a separate process, which a test kills: like the commands, with shorter waits.
 * Arguments: pull | outbox. A line on standard output for each round that was sent.
 */

import { flushCompileCache } from 'node:module'
import { runDrain } from '../src/outbox/drainer.ts'
import { runPull } from '../src/pull/puller.ts'
import { clientOf, contract } from './service-client.ts'

// A killed process does not write its compile cache.
flushCompileCache()

const { GAME_URL = '', OPERATOR_URL: operatorUrl = '', OPERATOR_TOKEN: operatorToken = '' } = process.env
const common = {
  url: GAME_URL,
  contract,
  client: clientOf({ operatorUrl, operatorToken }),
  isOnce: false,
  pacing: {
    everyMs: 10,
    backOffMs: [10, 50] as [number, number],
    standbyMs: 5,
    idleTimeoutMs: Number(process.env.IDLE_TIMEOUT_MS ?? 60_000),
    heartbeatMs: 1_000,
  },
  signal: new AbortController().signal,
  log: (message: string) => console.log(`# ${message}`),
  report: (round: object) => console.log(JSON.stringify(round)),
}
console.log('# ready')
if (process.argv[2] === 'pull')
  await runPull({
    ...common,
    schema: 'chancery_out',
    feed: 'pull',
    retryMs: 5_000,
    allowsDeletes: process.env.ALLOW_DELETES === '1',
  })
else await runDrain({ ...common, feed: 'outbox' })
