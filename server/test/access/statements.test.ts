import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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
import { allianceRoutes } from '../../src/resources/alliances/routes.ts'
import { nationRoutes } from '../../src/resources/nations/routes.ts'
import type { Database } from '../../src/store/database.ts'
import { createPools, type Pools } from '../../src/store/pools.ts'
import { playerOf, smallWorld } from '../http/world.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

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

let chancery: TestServer
let pools: Pools
before(async () => {
  chancery = await startTestServer()
  await chancery.ingest(smallWorld(), { waits: false })
  pools = createPools({ target: { connectionString: chancery.databaseUrl } })
})
after(async () => {
  await pools.close()
  await chancery.close()
})

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
  const handlers = new Map<string, Handle>()
  const define = ({ id }: { id: string }, handler: Handle) => handlers.set(id, handler)
  const context = { contract, pools: { ...pools, owner } }
  nationRoutes(define as never, context)
  allianceRoutes(define as never, context)
  const key = { id: 'key_1', playerId, scopes: new Set(scopes) }
  const viewer = { kind: 'key', key } as unknown as Viewer
  const call = { values, viewer, disclose: createDisclosure(contract) } as never
  const result = await handlers
    .get(operation)?.(call)
    .catch((error: { code: string }) => error.code)
  return { result: result as Result | string | undefined, statements: statements.join('\n') }
}

/** Names of the columns and attributes that hold what is private, with the scope of each. */
function privateNames(resource: Resource): [string, Scope][] {
  const { properties } = resource.fields.attributes as unknown as { properties: object }
  return [...Object.entries(resource.fields), ...Object.entries(properties)].flatMap(
    ([name, field]): [string, Scope][] => {
      const scope = (field as { 'x-scope'?: Scope })['x-scope']
      return scope ? [[name, scope]] : []
    },
  )
}

const says = (statements: string, name: string) => new RegExp(`\\b${name}\\b`).test(statements)

const sets = Array.from({ length: 2 ** scopeNames.length }, (_, bits) =>
  scopeNames.filter((_, place) => bits & (1 << place)),
)

test('of the own nation no statement reads what the scopes of the key do not open', async () => {
  const names = privateNames(contract.resources.nation)
  assert.ok(names.length >= 4 + scopeNames.length)
  for (const scopes of sets) {
    const { result, statements } = await run('me.nation', playerOf('n1'), scopes)
    assert.ok(typeof result === 'object', String(result))
    for (const [name, scope] of names)
      assert.equal(says(statements, name), holdsScope(new Set(scopes), scope), `${name} with ${scopes}`)
  }
})

test('no statement reads the treasury of an alliance before standing is known, nor what the scopes do not open', async () => {
  const names = privateNames(contract.resources.alliance)
  assert.ok(names.length >= 1 + scopeNames.length)
  const values = { id: 'a1', include: ['treasury'] }
  for (const scopes of sets.filter(set => set.includes('treasury.read'))) {
    for (const player of ['n3', 'n4', 'n5', 'n7'].map(playerOf)) {
      const { result, statements } = await run('alliances.get', player, scopes, values)
      assert.equal(result, 'not_entitled')
      for (const [name] of names) assert.ok(!says(statements, name), `${name} for ${player}`)
    }
    const { result, statements } = await run('alliances.get', playerOf('n2'), scopes, values)
    assert.ok(typeof result === 'object', String(result))
    for (const [name, scope] of names)
      assert.equal(says(statements, name), holdsScope(new Set(scopes), scope), `${name} with ${scopes}`)
  }
  const gone = await run('alliances.get', playerOf('n2'), ['treasury.read'], { ...values, id: 'nowhere' })
  assert.deepEqual([gone.result, says(gone.statements, 'treasury')], ['not_found', false])
})
