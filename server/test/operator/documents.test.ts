import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { contractFor, demoProfile, type OperatorOperation, operatorOperations } from '@chancery/contract'
import Fastify from 'fastify'
import type { OperatorContext } from '../../src/operator/define-operator-operation.ts'
import { buildOperatorApi } from '../../src/operator/operator-api.ts'
import { closeAfter } from '../support/close-after.ts'
import { startTestServer } from '../support/test-server.ts'

const chancery = closeAfter(await startTestServer())

test('the generated documents are readable without a token', async () => {
  for (const [path, file] of [
    ['/openapi.json', 'operator.openapi.json'],
    ['/facts.schema.json', 'facts.schema.json'],
  ] as const) {
    const response = await fetch(chancery.operatorUrl + path)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('access-control-allow-origin'), null)
    const generated = await readFile(new URL(`../../../contract/${file}`, import.meta.url), 'utf8')
    assert.deepEqual(await response.json(), JSON.parse(generated), path)
  }
})

test('only the documents are readable without a token', async () => {
  for (const path of ['/', '/openapi', '/docs/../status', '/docs/nowhere', '/facts.schema', '/metrics'])
    assert.equal((await fetch(chancery.operatorUrl + path)).status, 401, path)
})

/** Paths and methods of the tree that Fastify prints. */
function routesOf(tree: string): string[] {
  const parts: string[] = []
  return tree.split('\n').flatMap(line => {
    const [, indent = '', part = '', methods] = /^((?:[│ ] {3})*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line) ?? []
    if (!part) return []
    parts.splice(indent.length / 4)
    parts.push(part)
    return (methods?.split(', ') ?? []).map(method => `${method} ${parts.join('')}`)
  })
}

test('the listener serves exactly the operations of the contract', async () => {
  const app = buildOperatorApi({ contract: contractFor(demoProfile), pools: {} } as OperatorContext, {
    findCaller: async () => undefined,
    log: { warn() {}, error() {} } as never,
    tls: undefined,
  })
  await app.ready()
  const routes = routesOf(app.printRoutes({ commonPrefix: false }))
  const everyOperation: OperatorOperation[] = Object.values(operatorOperations)
  const named = everyOperation.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/, ':$1')}`)
  const documents = /^(GET|HEAD) \/(docs|openapi\.json|facts\.schema\.json)/
  assert.deepEqual(routes.filter(route => !documents.test(route)).toSorted(), named.toSorted())
  await app.close()
})

test('routes are read from a tree as Fastify prints it', async () => {
  const app = Fastify({ exposeHeadRoutes: false })
  const handler = async () => ''
  for (const url of ['/a', '/a/:id', '/a/:id/b', '/c/d']) app.get(url, handler)
  app.post('/a', handler)
  await app.ready()
  assert.deepEqual(routesOf(app.printRoutes({ commonPrefix: false })).toSorted(), [
    'GET /a',
    'GET /a/:id',
    'GET /a/:id/b',
    'GET /c/d',
    'POST /a',
  ])
})
