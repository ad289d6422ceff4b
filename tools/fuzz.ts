/**
 * Fuzzes the API by the document that it publishes: npm run fuzz -- [--requests N] [--base-url URL] [--seed N] [--only TEXT] [--verbose]
 * Without --base-url on a demo of its own, whose operator API is fuzzed too. Exits 1 if a response is not as documented.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { fuzz } from '../acceptance/src/fuzz/fuzz.ts'
import { runChancery } from './smoke/running-chancery.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string' },
    'base-url': { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const [requests, seed] = [Number(values.requests), Number(values.seed)]
if (!Number.isSafeInteger(requests) || requests < 1 || !Number.isSafeInteger(seed)) {
  console.error('--requests takes a whole number from 1, --seed a whole number')
  process.exit(2)
}
const options = {
  requests,
  seed,
  isVerbose: values.verbose,
  ...(values.only === undefined ? {} : { only: values.only }),
}

console.log(`${requests} requests by seed ${seed}`)
const baseUrl = values['base-url']
process.exitCode = (await (baseUrl === undefined
  ? fuzzDemo()
  : fuzz({ ...options, baseUrl, env: process.env })))
  ? 0
  : 1

/** A static world without limits. */
async function fuzzDemo(): Promise<boolean> {
  const demo = await runChancery(['npm', 'start', '--', '--tick-seconds', '0', '--nations', '200'], {
    worldFile: 'demo-keys.json',
    settings: {
      CHANCERY_ANONYMOUS_LIMIT: '1000000',
      CHANCERY_KEY_LIMIT: '1000000',
      CHANCERY_STREAMS_PER_KEY: '1000',
      CHANCERY_STREAMS_PER_IP: '1000',
    },
  })
  try {
    return await fuzz({ ...options, baseUrl: demo.url, env: demo.env, isDisposable: true })
  } finally {
    await demo.stop()
  }
}
