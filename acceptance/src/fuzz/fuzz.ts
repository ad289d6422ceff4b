import { createKeys } from '../keys.ts'
import { readSettings } from '../settings.ts'
import { openVisit } from '../visit.ts'
import { createWorld } from '../world.ts'
import { makeCallers } from './callers.ts'
import { readApi } from './document.ts'
import { fuzzOperator } from './fuzz-operator.ts'
import { learnValues } from './known-values.ts'
import { publicProbes } from './public-probes.ts'
import { runProbes } from './run.ts'
import { openSession } from './session.ts'

export interface FuzzOptions {
  baseUrl: string
  /** Where the operator door is told: see readSettings. */
  env: NodeJS.ProcessEnv
  requests: number
  seed: number
  only?: string
  /** Whether nobody minds what becomes of this server: then its world is taken to stand still, and its private door is fuzzed too. */
  isThrowAway?: boolean
  /** Whether to print how often each operation answered with which status. */
  isVerbose?: boolean
}

const ownLimit = 1_000_000
/** How many of the requests go to the private door. */
const operatorShare = 0.2

/** Fuzzes a server. Prints what it finds; returns whether everything is as documented. */
export async function fuzz({
  baseUrl,
  env,
  isThrowAway = false,
  isVerbose = false,
  ...options
}: FuzzOptions): Promise<boolean> {
  const began = performance.now()
  const visit = openVisit(readSettings({ ...env, CHANCERY_ACCEPTANCE_URL: baseUrl }))
  const keys = createKeys(visit)
  try {
    const api = await readApi(visit.settings.baseUrl)
    const world = createWorld(visit)
    await world.ready()
    const callers = await makeCallers(visit, world, keys, ownLimit)
    const values = await learnValues(api, target => visit.ask(`${api.bases[0]}${target}`, { key: null }))
    const session = openSession({ api, values, callers, isFrozen: isThrowAway })
    const told = { ...options, onFinding: report }
    const ofOperator = isThrowAway ? options.requests * operatorShare : 0
    const probes = publicProbes(session, visit.settings.operator && { keys, visit })
    const parts = [
      {
        findings: await runProbes(session, probes, { ...told, requests: options.requests - ofOperator }),
        ...session,
      },
      ...(ofOperator > 0 ? [await fuzzOperator(visit, values, { ...told, requests: ofOperator })] : []),
    ]
    session.close()
    const findings = parts.reduce((sum, part) => sum + part.findings, 0)
    const count = parts.reduce((sum, part) => sum + part.count, 0)
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    for (const { tally } of isVerbose ? parts : []) tell(tally)
    const outcome = findings === 0 ? 'all answered as documented' : `${findings} findings`
    console.log(`${count} requests in ${seconds} s, ${outcome}; seed ${options.seed}`)
    return findings === 0
  } finally {
    await keys.revokeAll()
    visit.close()
  }
}

const report = (text: string) => console.log(`\n${text}\n`)
const tell = (tally: Map<string, Map<number, number>>) => {
  for (const [id, statuses] of tally)
    console.log(
      id,
      [...statuses]
        .toSorted()
        .map(([status, count]) => `${status}:${count}`)
        .join(' '),
    )
}
