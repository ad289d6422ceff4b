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
const withData = (response: Answer, change: (thing: Record<string, unknown>) => object): Answer => ({
  ...response,
  body: { ...response.body, data: change(Object(response.body?.data)) },
})
const without = (response: Answer, name: string): Answer => {
  const { [name]: _, ...headers } = response.headers
  return { ...response, headers }
}

/** Faults of a server, and how the fuzzer reports them. */
const faults: Record<string, { fault: Fault; reports: RegExp }> = {
  'a failure on odd input': {
    fault: (response, { query }) =>
      /[^\x20-\x7e]/.test(query.get('kind') ?? '') ? { ...response, status: 500 } : response,
    reports: /500: the server failed/,
  },
  'an undocumented status': {
    fault: (response, { path }) =>
      response.status === 404 && path.includes('/things/') ? { ...response, status: 302 } : response,
    reports: /302 is not documented for things\.get/,
  },
  'a missing header': {
    fault: response =>
      isGood(response)
        ? { ...response, headers: { ...response.headers, 'x-left': [] as unknown as string } }
        : response,
    reports: /the header x-left is missing/,
  },
  'a header of the wrong type': {
    fault: response => ({ ...response, headers: { ...response.headers, 'x-left': 'many' } }),
    reports: /the header x-left: many/,
  },
  'an undocumented content type': {
    fault: response =>
      isGood(response)
        ? { ...response, headers: { ...response.headers, 'content-type': 'text/html' } }
        : response,
    reports: /the content type text\/html is not documented/,
  },
  'an undocumented member': {
    fault: (response, { path }) =>
      isGood(response) && /\/t\d+$/.test(path)
        ? withData(response, thing => ({ ...thing, secret: 1 }))
        : response,
    reports: /must NOT have additional properties: secret/,
  },
  'a value that its schema does not allow': {
    fault: (response, { path }) =>
      isGood(response) && path.endsWith('/t3')
        ? withData(response, thing => ({ ...thing, size: -1 }))
        : response,
    reports: /body\/data\/size must be >= 0/,
  },
  'too many decimals': {
    fault: (response, { path }) =>
      isGood(response) && /\/t\d*5$/.test(path)
        ? withData(response, thing => ({ ...thing, price: 1.234 }))
        : response,
    reports: /body\/data\/price must pass "x-decimals"/,
  },
  'an error of another request': {
    fault: response =>
      response.status === 400
        ? { ...response, headers: { ...response.headers, 'x-request-id': 'req_2' } }
        : response,
    reports: /request_id is req_1, and the header x-request-id req_2/,
  },
  'a too large page that is accepted': {
    fault: (response, { path, query }) =>
      isList(path) && response.status === 400 && Number(query.get('limit')) > 100
        ? {
            status: 200,
            headers: { etag: '"x"' },
            body: { data: [], pagination: { page: 1, limit: 101, total: 30, pages: 1 } },
          }
        : response,
    reports: /200 instead of 400/,
  },
  'a valid page that is rejected': {
    fault: (response, { query }) =>
      isGood(response) && Number(query.get('page')) > 7
        ? { status: 400, headers: {}, body: { error: { code: 'a', message: 'b', request_id: 'req_1' } } }
        : response,
    reports: /400 instead of 200/,
  },
  'a repeated list parameter that is rejected': {
    fault: (response, { query }) =>
      isGood(response) && [...query.keys()].filter(name => name.startsWith('names')).length > 1
        ? { status: 400, headers: {}, body: { error: { code: 'a', message: 'b', request_id: 'req_1' } } }
        : response,
    reports: /400 instead of 200/,
  },
  'a misspelled parameter that is accepted': {
    fault: (response, { path, query }) =>
      isList(path) && response.status === 400 && query.has('Page')
        ? {
            status: 200,
            headers: { etag: '"x"' },
            body: { data: [], pagination: { page: 1, limit: 25, total: 0, pages: 0 } },
          }
        : response,
    reports: /200 instead of 400/,
  },
  'a missing key that is accepted': {
    fault: (response, { path }) =>
      path.endsWith('/mine') && response.status === 401
        ? { status: 200, headers: {}, body: { id: 't1', size: 1, price: 1, made_at: '2026-05-20T10:00:00Z' } }
        : response,
    reports: /200 instead of 401/,
  },
  'a key without the scope that is accepted': {
    fault: (response, { path }) =>
      path.endsWith('/mine') && response.status === 403
        ? { status: 200, headers: {}, body: { id: 't1', size: 1, price: 1, made_at: '2026-05-20T10:00:00Z' } }
        : response,
    reports: /200 instead of 403/,
  },
  'a method that is not rejected': {
    fault: (response, { method }) => (method === 'PUT' ? { status: 200, headers: {}, body: {} } : response),
    reports: /PUT has the status 200 instead of 405/,
  },
  'a missing Allow': {
    fault: response => (response.status === 405 ? without(response, 'allow') : response),
    reports: /405 has Allow: undefined|405 without Allow/,
  },
  'an Allow that differs from OPTIONS': {
    fault: response =>
      response.status === 405 ? { ...response, headers: { allow: 'GET, POST' } } : response,
    reports: /405 has Allow: GET, POST, and OPTIONS GET, HEAD, OPTIONS/,
  },
  'HEAD that differs from GET': {
    fault: (response, { method }) => (method === 'HEAD' ? without(response, 'etag') : response),
    reports: /the header etag is undefined with HEAD/,
  },
  'an entity tag that does not match itself': {
    fault: response =>
      isGood(response)
        ? { ...response, headers: { ...response.headers, etag: '"always the same"' } }
        : response,
    reports: /200 instead of 304/,
  },
  'bases that differ': {
    fault: (response, { path }) =>
      isGood(response) && /^\/two\/things\/t/.test(path)
        ? withData(response, thing => ({ ...thing, size: 77 }))
        : response,
    reports: /its response differs from/,
  },
  'pages that overlap': {
    fault: (response, { path, query }) =>
      isGood(response) && isList(path) && Number(query.get('page')) === 2
        ? withData(response, things => Object.values(things).toReversed())
        : response,
    reports: /are not this page/,
  },
  'a total that is wrong': {
    fault: (response, { path }) =>
      isGood(response) && isList(path)
        ? {
            ...response,
            body: { ...response.body, pagination: { ...Object(response.body?.pagination), total: 31 } },
          }
        : response,
    reports: /items, where \d+ of 31 are left|pagination\.pages is/,
  },
  'a list that differs from its items': {
    fault: (response, { path }) =>
      isGood(response) && isList(path)
        ? withData(response, things => Object.values(things).map(thing => ({ ...Object(thing), size: 5 })))
        : response,
    reports: /size is .* in the list/,
  },
}

test('nothing is found in a server that does what its document reports', async () => {
  for (let seed = 1; seed <= randomRuns(3); seed += 1)
    assert.deepEqual(await findings(undefined, { seed }), [])
})

for (const [what, { fault, reports }] of Object.entries(faults)) {
  test(`${what} is found`, async () => {
    // Most are found with few requests, and none may need more than the last of these.
    for (const requests of [100, 300, 1_000]) {
      const found = await findings(fault, { requests })
      if (found.some(text => reports.test(text))) return
      assert.ok(requests < 1_000, `${reports} is not in:\n${found.join('\n')}`)
    }
  })
}

test('a finding is a command to type, in which no key stands', async () => {
  const fault: Fault = (response, { key }) => (key === 'Bearer all' ? { ...response, status: 500 } : response)
  const [found = ''] = await findings(fault, { requests: 100 })
  assert.match(found, /curl -i --path-as-is /)
  assert.match(found, /-H "Authorization: Bearer \$all"/)
  assert.doesNotMatch(found, /Bearer all/)
})
