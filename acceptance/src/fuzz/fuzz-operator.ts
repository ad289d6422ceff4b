import { randomUUID } from 'node:crypto'
import { digText } from '../json.ts'
import type { Visit } from '../visit.ts'
import { type Caller, nobody } from './callers.ts'
import { readApi } from './document.ts'
import { type KnownValues, learnValues } from './known-values.ts'
import { operatorCalls } from './probes/operator.ts'
import { type RunOptions, runProbes } from './run.ts'
import { openSession, type Session } from './session.ts'

const rounds = 2

/** Fuzzes the private door, in rounds: what one of them made is known to the next. Returns how many findings there were. */
export async function fuzzOperator(
  visit: Visit,
  world: KnownValues,
  { seed, requests, ...options }: RunOptions,
): Promise<Pick<Session, 'count' | 'tally'> & { findings: number }> {
  const { operator } = visit.settings
  if (!operator) throw new Error('the private door is not known')
  const api = await readApi(operator.url)
  const callers = await makeCallers(visit, operator.token)
  const session = openSession({ api, callers, values: world, isFrozen: false })
  let findings = 0
  for (let round = 0; round < rounds; round += 1) {
    const own = await learnValues(api, target => visit.askOperator('GET', target))
    session.values = { ...own, named: name => [...own.named(name), ...world.named(name)] }
    findings += await runProbes(session, operatorCalls(session), {
      ...options,
      seed: seed + round,
      requests: requests / rounds,
    })
  }
  session.close()
  return { count: session.count, tally: session.tally, findings }
}

/** A token of every role, and what is none. */
async function makeCallers(visit: Visit, mainToken: string): Promise<Caller[]> {
  const ofToken = (name: string, token: string, roles: string[]): Caller => ({
    name,
    authorization: `Bearer ${token}`,
    kind: 'known',
    scopes: roles,
    hasNation: false,
  })
  const main = ofToken('OPERATOR_TOKEN', mainToken, ['admin', 'facts', 'identity', 'metrics'])
  const wrong: Caller = { ...nobody, name: 'a wrong token', kind: 'wrong', authorization: 'Bearer cht_wrong' }
  const others = ['facts', 'identity', 'metrics'].map(async role => {
    const { json } = await visit.askOperator('POST', '/tokens', {
      name: `fuzz ${role} ${randomUUID()}`,
      roles: [role],
    })
    return ofToken(`TOKEN_OF_${role.toUpperCase()}`, digText(json, 'token'), [role])
  })
  // Mostly the one that may do everything: the others are refused before anything is looked at.
  return [...Array<Caller>(9).fill(main), ...(await Promise.all(others)), nobody, wrong]
}
