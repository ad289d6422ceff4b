import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

export interface Call {
  method: string
  path: string
  token: string | undefined
  body: unknown
}

export type Answer = (call: Call) => { status: number; body: unknown } | undefined

export interface StubDoor {
  variables: { CHANCERY_OPERATOR_URL: string; CHANCERY_OPERATOR_TOKEN: string }
  calls: Call[]
}

export const token = 'operator-token-of-the-test'

interface StubOptions {
  answer?: Answer
  facts?: (req: IncomingMessage, res: ServerResponse) => void
}

const unauthorized = { error: { code: 'invalid_api_key', message: 'No.', request_id: 'req_1' } }

/** An operator listener that keeps what it was asked and answers as told. */
export async function openStubDoor(t: TestContext, options: StubOptions = {}): Promise<StubDoor> {
  const { answer = () => undefined, facts = takeFacts } = options
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
    const answered = answer(call) ?? { status: 200, body: { world_version: 1, ranked_version: 1 } }
    reply(res, answered.status, answered.body)
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
  `${JSON.stringify({ status: 'applied', facts: 1, events: 2, last_seq: 7, refused: [], ...outcome })}\n`

/** Answers each commit at once, as the service does: a fact that says `wrong` refuses its batch. */
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
