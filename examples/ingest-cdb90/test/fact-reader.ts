import assert from 'node:assert/strict'
import { commitFact, contractFor, demoProfile, putFact } from '@chancery/contract'
import { Compile } from 'typebox/compile'

const { factSchemas } = contractFor(demoProfile)
const validators = {
  nation: Compile(putFact('nation', factSchemas.nation)),
  conflict: Compile(putFact('conflict', factSchemas.conflict)),
  war: Compile(putFact('war', factSchemas.war)),
  battle: Compile(putFact('battle', factSchemas.battle)),
}
const commit = Compile(commitFact)

type Resource = keyof typeof validators
type Data = Record<string, unknown>

/** The puts of a stream of facts, by resource and id. Fails at the first invalid line, or reference to a later fact. */
export function readFacts(ndjson: string) {
  const put: Record<Resource, Map<string, Data>> = {
    nation: new Map(),
    conflict: new Map(),
    war: new Map(),
    battle: new Map(),
  }
  const commits: string[] = []
  const assertPut = (resource: Resource, id: unknown, line: string) =>
    assert.ok(typeof id === 'string' && put[resource].has(id), `no ${resource} ${id} before ${line}`)

  const lines = ndjson.split('\n')
  assert.equal(lines.pop(), '', 'the last line has no line break')
  for (const line of lines) {
    const fact: unknown = JSON.parse(line)
    if (commit.Check(fact)) {
      commits.push(line)
      continue
    }
    const resource = resourceOf(line)
    assert.ok(
      validators[resource].Check(fact),
      `${line} ${JSON.stringify(validators[resource].Errors(fact))}`,
    )
    const { data } = fact
    const { id } = data
    assert.ok(typeof id === 'string')
    assert.ok(!put[resource].has(id), `${resource} ${id} is put twice`)
    assert.ok(line.isWellFormed())
    if (resource === 'war') {
      for (const side of [data.attacker, data.defender]) assertPut('nation', nationIdOf(side), line)
      assertPut('conflict', data.conflict_id, line)
    }
    if (resource === 'battle') {
      for (const nationId of [data.attacker_nation_id, data.defender_nation_id])
        assertPut('nation', nationId, line)
      assertPut('war', data.war_id, line)
    }
    put[resource].set(id, data)
  }
  return { put, commits, lastLine: lines.at(-1) }
}

const nationIdOf = (side: unknown) =>
  typeof side === 'object' && side !== null && 'nation_id' in side ? side.nation_id : undefined

function resourceOf(line: string): Resource {
  const resource = /"resource":"(nation|conflict|war|battle)"/.exec(line)?.[1]
  for (const known of ['nation', 'conflict', 'war', 'battle'] as const) if (known === resource) return known
  throw new Error(`neither a commit nor a put: ${line}`)
}
