import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contractFor,
  demoProfile,
  holdsScope,
  type Profile,
  type Resource,
  type Scope,
  scopeNames,
} from '@chancery/contract'
import type { Viewer } from '../../src/access/key.ts'
import { createDisclosure } from '../../src/disclosure/disclosure.ts'
import type { HandlerResult } from '../../src/http/define-operation.ts'
import { allianceHandlers } from '../../src/resources/alliances/handlers.ts'
import { nationHandlers } from '../../src/resources/nations/handlers.ts'
import type { Database } from '../../src/store/database.ts'
import { playerOf, smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import { createTestPools } from '../support/pools.ts'
import { startTestServer } from '../support/test-server.ts'

/** An attribute of a nation and of an alliance for each scope. */
const attributes = (kind: 'player_private' | 'alliance_private') =>
  scopeNames.map(scope => ({
    key: `of_${scope.replace('.', '_')}`,
    type: 'string' as const,
    description: 'A text.',
    class: kind,
    scope,
    example: 'x',
  }))
const profile: Profile = {
  ...demoProfile,
  attributes: { nation: attributes('player_private'), alliance: attributes('alliance_private') },
}
const contract = contractFor(profile)

const chancery = closeAfter(await startTestServer())
await chancery.ingest(smallWorld(), { waits: false })
const pools = closeAfter(createTestPools({ connectionString: chancery.databaseUrl }))

type Result = { item: Record<string, unknown> }
type Handle = (request: never) => Promise<HandlerResult>

/** Runs an operation as a key of a player, and returns its result with the statements that could read secrets. */
async function run(operation: string, playerId: string, scopes: readonly Scope[], values: object = {}) {
  const statements: string[] = []
  const owner = {
    ...pools.owner,
    rows: <R>(statement: Parameters<Database['rows']>[0]) => {
      statements.push(`${statement.text} -- ${JSON.stringify(statement.values)}`)
      return pools.owner.rows<R>(statement)
    },
    first: async <R>(statement: Parameters<Database['first']>[0]) => (await owner.rows<R>(statement))[0],
  }
  const context = { contract, pools: { ...pools, owner } }
  const { meNation } = nationHandlers(context)
  const { alliancesGet } = allianceHandlers(context)
  const key = { id: 'key_1', playerId, scopes: new Set(scopes) }
  const viewer = { kind: 'key', key } as unknown as Viewer
  const call = { values, viewer, disclose: createDisclosure(contract) } as never
  const handle: Handle = operation === 'me.nation' ? meNation : alliancesGet
  const result = await handle(call).catch((error: { code: string }) => error.code)
  return { result: result as Result | string | undefined, statements: statements.join('\n') }
}

/** Names of the private columns and attributes, with the scope of each. */
function privateNames(resource: Resource): [string, Scope][] {
  const { properties } = resource.fields.attributes as unknown as { properties: object }
  return [...Object.entries(resource.fields), ...Object.entries(properties)].flatMap(
    ([name, field]): [string, Scope][] => {
      const scope = (field as { 'x-scope'?: Scope })['x-scope']
      return scope ? [[name, scope]] : []
    },
  )
}

const reads = (statements: string, name: string) => new RegExp(`\\b${name}\\b`).test(statements)

const sets = Array.from({ length: 2 ** scopeNames.length }, (_, bits) =>
  scopeNames.filter((_, place) => bits & (1 << place)),
)

test('statements for the own nation read only columns that the scopes of the key open', async () => {
  const names = privateNames(contract.resources.nation)
  assert.ok(names.length >= 4 + scopeNames.length)
  for (const scopes of sets) {
    const { result, statements } = await run('me.nation', playerOf('n1'), scopes)
    assert.ok(typeof result === 'object', String(result))
    for (const [name, scope] of names)
      assert.equal(reads(statements, name), holdsScope(new Set(scopes), scope), `${name} with ${scopes}`)
  }
})

test('no statement reads the treasury of an alliance before access is known, nor columns that the scopes do not open', async () => {
  const names = privateNames(contract.resources.alliance)
  assert.ok(names.length >= 1 + scopeNames.length)
  const values = { id: 'a1', include: ['treasury'] }
  for (const scopes of sets.filter(set => set.includes('treasury.read'))) {
    for (const player of ['n3', 'n4', 'n5', 'n7'].map(playerOf)) {
      const { result, statements } = await run('alliances.get', player, scopes, values)
      assert.equal(result, 'not_entitled')
      for (const [name] of names) assert.ok(!reads(statements, name), `${name} for ${player}`)
    }
    const { result, statements } = await run('alliances.get', playerOf('n2'), scopes, values)
    assert.ok(typeof result === 'object', String(result))
    for (const [name, scope] of names)
      assert.equal(reads(statements, name), holdsScope(new Set(scopes), scope), `${name} with ${scopes}`)
  }
  const gone = await run('alliances.get', playerOf('n2'), ['treasury.read'], { ...values, id: 'nowhere' })
  assert.deepEqual([gone.result, reads(gone.statements, 'treasury')], ['not_found', false])
})
