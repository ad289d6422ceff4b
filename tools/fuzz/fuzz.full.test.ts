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
import {
  type Fault,
  rejection,
  type SmallRequest,
  type SmallResponse,
  startSmallServer,
  success,
} from './small-server.ts'

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
  const server = await startSmallServer(fault)
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

type Change = (response: SmallResponse) => SmallResponse
type Condition = (request: SmallRequest, response: SmallResponse) => boolean

/** Changes the responses with a status that meet the condition. */
const onStatus =
  (status: number, change: Change, condition: Condition = () => true): Fault =>
  (response, request) =>
    response.status === status && condition(request, response) ? change(response) : response
const onSuccess = (change: Change, condition?: Condition) => onStatus(200, change, condition)
const setHeaders =
  (headers: Record<string, unknown>): Change =>
  response => ({ ...response, headers: { ...response.headers, ...(headers as SmallResponse['headers']) } })
const removeHeader =
  (name: string): Change =>
  response => {
    const { [name]: _, ...headers } = response.headers
    return { ...response, headers }
  }
const setStatus =
  (status: number): Change =>
  response => ({ ...response, status })
const changeData =
  (change: (data: Record<string, unknown>) => object): Change =>
  response => ({ ...response, body: { ...response.body, data: change(Object(response.body?.data)) } })
const setData = (members: object) => changeData(data => ({ ...data, ...members }))

const pathMatches =
  (pattern: RegExp): Condition =>
  ({ path }) =>
    pattern.test(path)
const isList = pathMatches(/\/items$/)
const isMine = pathMatches(/\/mine$/)
const item = { id: 't1', size: 1, price: 1, made_at: '2026-05-20T10:00:00Z' }
const emptyPage = setHeaders({ etag: '"x"' })(
  success({ data: [], pagination: { page: 1, limit: 25, total: 0, pages: 0 } }),
)

/** Faults of a server, and how the fuzzer reports them. */
const faults: Record<string, [reports: RegExp, fault: Fault]> = {
  'a failure on odd input': [
    /500: the server failed/,
    (response, { query }) =>
      /[^\x20-\x7e]/.test(query.get('kind') ?? '') ? setStatus(500)(response) : response,
  ],
  'an undocumented status': [
    /302 is not documented for items\.get/,
    onStatus(404, setStatus(302), pathMatches(/\/items\//)),
  ],
  'a missing header': [/the header x-left is missing/, onSuccess(setHeaders({ 'x-left': [] }))],
  'a header of the wrong type': [/the header x-left: many/, setHeaders({ 'x-left': 'many' })],
  'an undocumented content type': [
    /the content type text\/html is not documented/,
    onSuccess(setHeaders({ 'content-type': 'text/html' })),
  ],
  'an undocumented member': [
    /must NOT have additional properties: secret/,
    onSuccess(setData({ secret: 1 }), pathMatches(/\/t\d+$/)),
  ],
  'a value that its schema does not allow': [
    /body\/data\/size must be >= 0/,
    onSuccess(setData({ size: -1 }), pathMatches(/\/t3$/)),
  ],
  'too many decimals': [
    /body\/data\/price must pass "x-decimals"/,
    onSuccess(setData({ price: 1.234 }), pathMatches(/\/t\d*5$/)),
  ],
  'an error of another request': [
    /request_id is req_1, and the header x-request-id req_2/,
    onStatus(400, setHeaders({ 'x-request-id': 'req_2' })),
  ],
  'a too large page that is accepted': [
    /200 instead of 400/,
    onStatus(
      400,
      () => emptyPage,
      request => isList(request, emptyPage) && Number(request.query.get('limit')) > 100,
    ),
  ],
  'a valid page that is rejected': [
    /400 instead of 200/,
    onSuccess(
      () => rejection(400),
      ({ query }) => Number(query.get('page')) > 7,
    ),
  ],
  'a repeated list parameter that is rejected': [
    /400 instead of 200/,
    onSuccess(
      () => rejection(400),
      ({ query }) => [...query.keys()].filter(name => name.startsWith('names')).length > 1,
    ),
  ],
  'a misspelled parameter that is accepted': [
    /200 instead of 400/,
    onStatus(
      400,
      () => emptyPage,
      request => isList(request, emptyPage) && request.query.has('Page'),
    ),
  ],
  'a missing key that is accepted': [/200 instead of 401/, onStatus(401, () => success(item), isMine)],
  'a key without the scope that is accepted': [
    /200 instead of 403/,
    onStatus(403, () => success(item), isMine),
  ],
  'a method that is not rejected': [
    /PUT has the status 200 instead of 405/,
    onStatus(
      405,
      () => success({}),
      ({ method }) => method === 'PUT',
    ),
  ],
  'a missing Allow': [/405 has Allow: undefined|405 without Allow/, onStatus(405, removeHeader('allow'))],
  'an Allow that differs from OPTIONS': [
    /405 has Allow: GET, POST, and OPTIONS GET, HEAD, OPTIONS/,
    onStatus(405, setHeaders({ allow: 'GET, POST' })),
  ],
  'HEAD that differs from GET': [
    /the header etag is undefined with HEAD/,
    onSuccess(removeHeader('etag'), ({ method }) => method === 'HEAD'),
  ],
  'an entity tag that does not match itself': [
    /200 instead of 304/,
    onSuccess(setHeaders({ etag: '"always the same"' })),
  ],
  'bases that differ': [
    /its response differs from/,
    onSuccess(setData({ size: 77 }), pathMatches(/^\/two\/items\/t/)),
  ],
  'pages that overlap': [
    /are not this page/,
    onSuccess(
      changeData(items => Object.values(items).toReversed()),
      (request, response) => isList(request, response) && Number(request.query.get('page')) === 2,
    ),
  ],
  'a total that is wrong': [
    /items, where \d+ of 31 are left|pagination\.pages is/,
    onSuccess(
      ({ body, ...response }) => ({
        ...response,
        body: { ...body, pagination: { ...Object(body?.pagination), total: 31 } },
      }),
      isList,
    ),
  ],
  'a list that differs from its items': [
    /size is .* in the list/,
    onSuccess(
      changeData(items => Object.values(items).map(item => ({ ...Object(item), size: 5 }))),
      isList,
    ),
  ],
}

test('nothing is found in a server that does what its document promises', async () => {
  for (let seed = 1; seed <= randomRuns(3); seed += 1)
    assert.deepEqual(await findings(undefined, { seed }), [])
})

for (const [name, [reports, fault]] of Object.entries(faults)) {
  test(`${name} is found`, async () => {
    // Most are found with few requests, and none may need more than the last of these.
    for (const requests of [100, 300, 1_000]) {
      const found = await findings(fault, { requests })
      if (found.some(text => reports.test(text))) return
      assert.ok(requests < 1_000, `${reports} is not in:\n${found.join('\n')}`)
    }
  })
}

test('a finding is a curl command without the key', async () => {
  const fault: Fault = (response, { key }) => (key === 'Bearer all' ? { ...response, status: 500 } : response)
  const [found = ''] = await findings(fault, { requests: 100 })
  assert.match(found, /curl -i --path-as-is /)
  assert.match(found, /-H "Authorization: Bearer \$all"/)
  assert.doesNotMatch(found, /Bearer all/)
})
