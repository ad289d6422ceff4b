import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTransport } from '../../acceptance/src/exchange.ts'
import { anonymous, type Caller } from '../../acceptance/src/fuzz/callers.ts'
import { readApi } from '../../acceptance/src/fuzz/document.ts'
import { learnValues } from '../../acceptance/src/fuzz/known-values.ts'
import { publicProbes } from '../../acceptance/src/fuzz/public-probes.ts'
import { runProbes } from '../../acceptance/src/fuzz/run.ts'
import { openSession } from '../../acceptance/src/fuzz/session.ts'
import { randomRuns } from '../../server/test/support/tier.ts'
import { type Answer, type Fault, startLittleServer } from './small-server.ts'

const caller = (name: string, kind: Caller['kind'], scopes: string[] = []): Caller => ({
  name,
  kind,
  authorization: `Bearer ${name}`,
  scopes,
  hasNation: true,
})
const callers = [
  anonymous,
  caller('all', 'known', ['mine.read']),
  caller('none', 'known'),
  caller('wrong', 'wrong'),
]

/** What the fuzzer finds in a server, drawn by a seed. */
async function findings(fault?: Fault, { seed = 1, requests = 1_000 } = {}): Promise<string[]> {
  const server = await startLittleServer(fault)
  const transport = createTransport()
  const api = await readApi(server.url)
  const values = await learnValues(api, target =>
    transport.send({ method: 'GET', url: `${server.url}${api.bases[0]}${target}`, headers: {} }),
  )
  const session = openSession({ api, values, callers, isFrozen: true })
  const found: string[] = []
  try {
    await runProbes(session, publicProbes(session), {
      seed,
      requests,
      onFailure: text => found.push(text),
    })
  } finally {
    session.close()
    transport.close()
    await server.close()
  }
  return found
}

const isList = (path: string) => path.endsWith('/things')
const isGood = ({ status }: Answer) => status === 200
const withData = (answer: Answer, change: (thing: Record<string, unknown>) => object): Answer => ({
  ...answer,
  body: { ...answer.body, data: change(Object(answer.body?.data)) },
})
const without = (answer: Answer, name: string): Answer => {
  const { [name]: _, ...headers } = answer.headers
  return { ...answer, headers }
}

/** Ways in which a server may be wrong, and what the fuzzer says of each. */
const faults: Record<string, { fault: Fault; says: RegExp }> = {
  'a failure on odd input': {
    fault: (answer, { query }) =>
      /[^\x20-\x7e]/.test(query.get('kind') ?? '') ? { ...answer, status: 500 } : answer,
    says: /500: the server failed/,
  },
  'a status that is not documented': {
    fault: (answer, { path }) =>
      answer.status === 404 && path.includes('/things/') ? { ...answer, status: 302 } : answer,
    says: /302 is not documented for things\.get/,
  },
  'a header that is not there': {
    fault: answer =>
      isGood(answer)
        ? { ...answer, headers: { ...answer.headers, 'x-left': [] as unknown as string } }
        : answer,
    says: /the header x-left is missing/,
  },
  'a header of another type': {
    fault: answer => ({ ...answer, headers: { ...answer.headers, 'x-left': 'many' } }),
    says: /the header x-left: many/,
  },
  'a content type that is not documented': {
    fault: answer =>
      isGood(answer) ? { ...answer, headers: { ...answer.headers, 'content-type': 'text/html' } } : answer,
    says: /the content type text\/html is not documented/,
  },
  'a member that is not documented': {
    fault: (answer, { path }) =>
      isGood(answer) && /\/t\d+$/.test(path) ? withData(answer, thing => ({ ...thing, secret: 1 })) : answer,
    says: /must NOT have additional properties: secret/,
  },
  'a value that is not of its schema': {
    fault: (answer, { path }) =>
      isGood(answer) && path.endsWith('/t3') ? withData(answer, thing => ({ ...thing, size: -1 })) : answer,
    says: /body\/data\/size must be >= 0/,
  },
  'more decimals than are promised': {
    fault: (answer, { path }) =>
      isGood(answer) && /\/t\d*5$/.test(path)
        ? withData(answer, thing => ({ ...thing, price: 1.234 }))
        : answer,
    says: /body\/data\/price must pass "x-decimals"/,
  },
  'an error of another request': {
    fault: answer =>
      answer.status === 400 ? { ...answer, headers: { ...answer.headers, 'x-request-id': 'req_2' } } : answer,
    says: /request_id is req_1, and the header x-request-id req_2/,
  },
  'a page of too many taken': {
    fault: (answer, { path, query }) =>
      isList(path) && answer.status === 400 && Number(query.get('limit')) > 100
        ? {
            status: 200,
            headers: { etag: '"x"' },
            body: { data: [], pagination: { page: 1, limit: 101, total: 30, pages: 1 } },
          }
        : answer,
    says: /200 instead of 400/,
  },
  'a good page refused': {
    fault: (answer, { query }) =>
      isGood(answer) && Number(query.get('page')) > 7
        ? { status: 400, headers: {}, body: { error: { code: 'a', message: 'b', request_id: 'req_1' } } }
        : answer,
    says: /400 instead of 200/,
  },
  'a list refused where it is repeated': {
    fault: (answer, { query }) =>
      isGood(answer) && [...query.keys()].filter(name => name.startsWith('names')).length > 1
        ? { status: 400, headers: {}, body: { error: { code: 'a', message: 'b', request_id: 'req_1' } } }
        : answer,
    says: /400 instead of 200/,
  },
  'a mistyped parameter taken': {
    fault: (answer, { path, query }) =>
      isList(path) && answer.status === 400 && query.has('Page')
        ? {
            status: 200,
            headers: { etag: '"x"' },
            body: { data: [], pagination: { page: 1, limit: 25, total: 0, pages: 0 } },
          }
        : answer,
    says: /200 instead of 400/,
  },
  'somebody without a key let in': {
    fault: (answer, { path }) =>
      path.endsWith('/mine') && answer.status === 401
        ? { status: 200, headers: {}, body: { id: 't1', size: 1, price: 1, made_at: '2026-05-20T10:00:00Z' } }
        : answer,
    says: /200 instead of 401/,
  },
  'a key without the scope let in': {
    fault: (answer, { path }) =>
      path.endsWith('/mine') && answer.status === 403
        ? { status: 200, headers: {}, body: { id: 't1', size: 1, price: 1, made_at: '2026-05-20T10:00:00Z' } }
        : answer,
    says: /200 instead of 403/,
  },
  'a method that is not refused': {
    fault: (answer, { method }) => (method === 'PUT' ? { status: 200, headers: {}, body: {} } : answer),
    says: /PUT is responseHeaders with 200, not with 405/,
  },
  'Allow missing': {
    fault: answer => (answer.status === 405 ? without(answer, 'allow') : answer),
    says: /405 says Allow: undefined|405 without Allow/,
  },
  'Allow that says something else than OPTIONS': {
    fault: answer => (answer.status === 405 ? { ...answer, headers: { allow: 'GET, POST' } } : answer),
    says: /405 says Allow: GET, POST, and OPTIONS GET, HEAD, OPTIONS/,
  },
  'HEAD unlike GET': {
    fault: (answer, { method }) => (method === 'HEAD' ? without(answer, 'etag') : answer),
    says: /the header etag is undefined with HEAD/,
  },
  'a tag that is not known again': {
    fault: answer =>
      isGood(answer) ? { ...answer, headers: { ...answer.headers, etag: '"always the same"' } } : answer,
    says: /200 instead of 304/,
  },
  'bases that differ': {
    fault: (answer, { path }) =>
      isGood(answer) && /^\/two\/things\/t/.test(path)
        ? withData(answer, thing => ({ ...thing, size: 77 }))
        : answer,
    says: /it is not responseHeaders like/,
  },
  'pages that overlap': {
    fault: (answer, { path, query }) =>
      isGood(answer) && isList(path) && Number(query.get('page')) === 2
        ? withData(answer, things => Object.values(things).toReversed())
        : answer,
    says: /are not this page/,
  },
  'a total that is wrong': {
    fault: (answer, { path }) =>
      isGood(answer) && isList(path)
        ? {
            ...answer,
            body: { ...answer.body, pagination: { ...Object(answer.body?.pagination), total: 31 } },
          }
        : answer,
    says: /items, where \d+ of 31 are left|pagination\.pages is/,
  },
  'a list that says something else than the thing itself': {
    fault: (answer, { path }) =>
      isGood(answer) && isList(path)
        ? withData(answer, things => Object.values(things).map(thing => ({ ...Object(thing), size: 5 })))
        : answer,
    says: /size is .* in the list/,
  },
}

test('nothing is found in a server that does what its document says', async () => {
  for (let seed = 1; seed <= randomRuns(3); seed += 1)
    assert.deepEqual(await findings(undefined, { seed }), [])
})

for (const [what, { fault, says }] of Object.entries(faults)) {
  test(`${what} is found`, async () => {
    // Most are found with few requests, and none may need more than the last of these.
    for (const requests of [100, 300, 1_000]) {
      const found = await findings(fault, { requests })
      if (found.some(text => says.test(text))) return
      assert.ok(requests < 1_000, `${says} is not in:\n${found.join('\n')}`)
    }
  })
}

test('a finding is a command to type, in which no key stands', async () => {
  const fault: Fault = (answer, { key }) => (key === 'Bearer all' ? { ...answer, status: 500 } : answer)
  const [found = ''] = await findings(fault, { requests: 100 })
  assert.match(found, /curl -i --path-as-is /)
  assert.match(found, /-H "Authorization: Bearer \$all"/)
  assert.doesNotMatch(found, /Bearer all/)
})
