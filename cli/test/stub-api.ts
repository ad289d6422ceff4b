import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { operatorOperations } from '@chancery/contract'

export interface Call {
  method: string
  path: string
  token: string | undefined
  body: unknown
}

type StubResponse = (call: Call) => { status: number; body: unknown } | undefined

export const responding =
  (status: number, body: unknown): StubResponse =>
  () => ({ status, body })

/** A status of the service at these versions of the world. */
export const statusOf = (world_version: number, ranked_version: number) => ({
  ...(operatorOperations.statusGet.responses[200].content['application/json'].examples.Example as object),
  world_version,
  ranked_version,
})

export interface StubApi {
  variables: { CHANCERY_OPERATOR_URL: string; CHANCERY_OPERATOR_TOKEN: string }
  calls: Call[]
}

export const token = 'operator-token-of-the-test'

interface StubOptions {
  respond?: StubResponse
  facts?: (req: IncomingMessage, res: ServerResponse) => void
}

const unauthorized = { error: { code: 'invalid_api_key', message: 'No.', request_id: 'req_1' } }

/** An operator API that records requests and returns prepared responses. */
export async function startStubApi(t: TestContext, options: StubOptions = {}): Promise<StubApi> {
  const { respond = () => undefined, facts = takeFacts } = options
  const calls: Call[] = []
  const server = createServer(async (req, res) => {
    const { method = '', url: path = '' } = req
    const given = req.headers.authorization?.replace('Bearer ', '')
    const isFacts = path.startsWith('/facts')
    const isJson = req.headers['content-type'] === 'application/json'
    const call = { method, path, token: given, body: isJson ? await json(req) : undefined }
    calls.push(call)
    if (given !== token) return reply(res, 401, unauthorized)
    if (isFacts) return facts(req, res)
    const response = respond(call) ?? { status: 200, body: statusOf(1, 1) }
    reply(res, response.status, response.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port')
  return {
    variables: {
      CHANCERY_OPERATOR_URL: `http://127.0.0.1:${address.port}`,
      CHANCERY_OPERATOR_TOKEN: token,
    },
    calls,
  }
}

function reply(res: ServerResponse, status: number, body: unknown) {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export const outcomeLine = (outcome: Record<string, unknown>) =>
  `${JSON.stringify({ status: 'applied', facts: 1, events: 2, last_seq: 7, refused: [], is_kept: false, ...outcome })}\n`

/** Returns the outcome of each batch at its commit, as the service does. A fact with `wrong` makes it refuse the batch. */
export async function takeFacts(req: IncomingMessage, res: ServerResponse) {
  let line = 0
  let facts = 0
  let refused: { line: number; path: string; reason: string }[] = []
  for await (const text of createInterface({ input: req })) {
    line++
    const fact = JSON.parse(text)
    if (fact.wrong) refused.push({ line, path: '/data/x', reason: 'must be right' })
    if (fact.op !== 'commit') {
      facts++
      continue
    }
    const status = refused.length > 0 ? 'refused' : (fact.status ?? 'applied')
    res.write(outcomeLine({ batch: fact.batch, status, facts: status === 'applied' ? facts : 0, refused }))
    facts = 0
    refused = []
  }
  res.end()
}
