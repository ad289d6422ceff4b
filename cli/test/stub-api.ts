import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { type OperatorOperation, operatorOperations } from '@chancery/contract'
import { listen } from '../../server/test/support/listen.ts'
import { chancery } from './chancery.ts'

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

/** The first item of a list operation's example in the contract. */
export function exampleItem(operation: OperatorOperation): object {
  const [response] = Object.values(operation.responses)
  const { Example } = Object(response?.content['application/json']?.examples)
  return (Example as { data: [object] }).data[0]
}

/** A status of the service at these versions of the world. */
export const statusOf = (world_version: number, ranked_version: number) => ({
  ...(operatorOperations.statusGet.responses[200].content['application/json'].examples.Example as object),
  world_version,
  ranked_version,
})

const wordsOf = (command: string | string[]) => (typeof command === 'string' ? command.split(' ') : command)

export const token = 'operator-token-of-the-test'

interface StubOptions {
  respond?: StubResponse
  facts?: (req: IncomingMessage, res: ServerResponse) => void
}

const unauthorized = { error: { code: 'invalid_api_key', message: 'No.', request_id: 'req_1' } }

/** An operator API that records requests and returns prepared responses, with functions that run commands against it. */
export async function startStubApi(t: TestContext, options: StubOptions = {}) {
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
  const variables = {
    CHANCERY_OPERATOR_URL: `http://127.0.0.1:${await listen(server, t)}`,
    CHANCERY_OPERATOR_TOKEN: token,
  }
  /** A text is split at its spaces. */
  const run = (command: string | string[], input?: string) => chancery(wordsOf(command), variables, input)
  return {
    variables,
    calls,
    paths: () => calls.map(({ path }) => path),
    requests: () => calls.map(({ method, path, body }) => [method, path, body]),
    run,
    /** The document that the command prints with --json. */
    json: async (command: string | string[]) =>
      JSON.parse((await run([...wordsOf(command), '--json'])).output),
  }
}

function reply(res: ServerResponse, status: number, body: unknown) {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export const outcomeLine = (outcome: Record<string, unknown>) =>
  `${JSON.stringify({ status: 'applied', facts: 1, set_aside: 0, events: 2, last_seq: 7, refused: [], is_kept: false, ...outcome })}\n`

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
