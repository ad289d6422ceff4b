import { createClient } from '../client.ts'
import { createKeys } from '../keys.ts'
import { readSettings } from '../settings.ts'
import { createWorld } from '../world.ts'
import { createCallers } from './callers.ts'
import { readApi } from './document.ts'
import { fuzzOperator } from './fuzz-operator.ts'
import { learnValues } from './known-values.ts'
import { publicProbes } from './public-probes.ts'
import { runProbes } from './run.ts'
import { openSession } from './session.ts'

export interface FuzzOptions {
  baseUrl: string
  /** Has the operator API: see readSettings. */
  env: NodeJS.ProcessEnv
  requests: number
  seed: number
  only?: string
  /** Whether this server may be changed: then its world is static, and its operator API is fuzzed too. */
  isDisposable?: boolean
  /** Whether to print the number of responses by operation and status. */
  isVerbose?: boolean
}

const ownLimit = 1_000_000
/** The share of requests to the operator API. */
const operatorShare = 0.2

/** Fuzzes a server. Prints what it finds; returns whether everything is as documented. */
export async function fuzz({
  baseUrl,
  env,
  isDisposable = false,
  isVerbose = false,
  ...options
}: FuzzOptions): Promise<boolean> {
  const began = performance.now()
  const client = createClient(readSettings({ ...env, CHANCERY_ACCEPTANCE_URL: baseUrl }))
  const keys = createKeys(client)
  try {
    const api = await readApi(client.settings.baseUrl)
    const world = createWorld(client)
    await world.ready()
    const callers = await createCallers(client, world, keys, ownLimit)
    const values = await learnValues(api, target => client.request(`${api.bases[0]}${target}`, { key: null }))
    const session = openSession({ api, values, callers, isFrozen: isDisposable })
    const common = { ...options, onFailure: printFailure }
    const ofOperator = isDisposable ? options.requests * operatorShare : 0
    const probes = publicProbes(session, client.settings.operator && { keys, client })
    const parts = [
      {
        failures: await runProbes(session, probes, { ...common, requests: options.requests - ofOperator }),
        ...session,
      },
      ...(ofOperator > 0 ? [await fuzzOperator(client, values, { ...common, requests: ofOperator })] : []),
    ]
    session.close()
    const failures = parts.reduce((sum, part) => sum + part.failures, 0)
    const count = parts.reduce((sum, part) => sum + part.count, 0)
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    for (const { statusCounts } of isVerbose ? parts : []) printStatusCounts(statusCounts)
    const outcome = failures === 0 ? 'all responses as documented' : `${failures} failures`
    console.log(`${count} requests in ${seconds} s, ${outcome}; seed ${options.seed}`)
    return failures === 0
  } finally {
    await keys.revokeAll()
    client.close()
  }
}

const printFailure = (text: string) => console.log(`\n${text}\n`)
const printStatusCounts = (statusCounts: Map<string, Map<number, number>>) => {
  for (const [id, statuses] of statusCounts)
    console.log(
      id,
      [...statuses]
        .toSorted()
        .map(([status, count]) => `${status}:${count}`)
        .join(' '),
    )
}
