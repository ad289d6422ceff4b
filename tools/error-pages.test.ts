/** The error pages have the facts of the contract and a recorded response. RECORD_EXAMPLES=1 writes both into the pages. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  contractFor,
  demoProfile,
  type ErrorCode,
  errors,
  limits,
  type OperatorErrorCode,
} from '@chancery/contract'
import { createProtocolErrors } from '../server/src/http/protocol-errors.ts'
import { createRequestIds } from '../server/src/http/request-id.ts'
import { createTrustedProxies } from '../server/src/http/trusted-proxies.ts'
import { sendRaw } from '../server/test/http/raw.ts'
import { smallWorld } from '../server/test/http/world.ts'
import { takeSnapshot } from '../server/test/snapshots/take-snapshot.ts'
import { query } from '../server/test/support/database-url.ts'
import { listen } from '../server/test/support/listen.ts'
import { startBehindProxy, untilStatus } from '../server/test/support/tcp-proxy.ts'
import { startTestServer, type TestServer } from '../server/test/support/test-server.ts'
import {
  pageCodes,
  shownResponse,
  withFacts,
  withLists,
  withoutVariableParts,
  withResponse,
} from './guides/error-page.ts'
import { markedBlock } from './guides/guide.ts'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('../docs/errors/', import.meta.url))
const records = process.env.RECORD_EXAMPLES === '1'
const howToWrite = 'update it with RECORD_EXAMPLES=1 npm test -- tools/error-pages.test.ts'

const fileOf = (code: string) => join(folder, `${code}.md`)
const pageOf = (code: string) => readFile(fileOf(code), 'utf8')

test('every code has a page with the facts of the contract, and every page has a code', async () => {
  for (const code of pageCodes) {
    const page = await pageOf(code)
    if (records) await writeFile(fileOf(code), withFacts(page, code))
    else assert.equal(page, withFacts(page, code), `${code}.md: ${howToWrite}`)
    assert.ok(page.startsWith(`# \`${code}\`\n`), code)
  }
  const expected = [...pageCodes.map(code => `${code}.md`), 'README.md'].sort()
  assert.deepEqual((await readdir(folder)).sort(), expected)
})

test('the list of errors has every code with the facts of the contract', async () => {
  const list = await pageOf('README')
  if (records) await writeFile(fileOf('README'), withLists(list))
  else assert.equal(list, withLists(list), howToWrite)
})

/** The server of a page's call, and the environment of its shell. */
interface Fixture {
  server: Pick<TestServer, 'url' | 'operatorUrl'>
  env?: Record<string, string>
}

const hasCurl = spawnSync('curl', ['--version']).status === 0 ? {} : { skip: 'curl is not installed' }

describe('the call of a page returns the response of the page', hasCurl, () => {
  let chancery: TestServer
  before(async () => {
    chancery = await startTestServer()
    await chancery.ingest(smallWorld())
  })
  after(() => chancery.close())

  const withKey = async (nationId: string, scope: 'nation.read' | 'treasury.read'): Promise<Fixture> => ({
    server: chancery,
    env: { CHANCERY_KEY: (await chancery.makeKey({ nation_id: nationId }, [scope])).key },
  })

  async function withOperatorToken(name: string, text?: string): Promise<Fixture> {
    const made = await chancery.operate('POST', '/tokens', { name, roles: ['metrics'] })
    const { token } = (await made.json()) as { token: string }
    return { server: chancery, env: { CHANCERY_OPERATOR_TOKEN: text ?? token } }
  }

  async function withCode(age?: string): Promise<Fixture> {
    const code = await chancery.makeCode('n2')
    if (age === undefined) await chancery.read(`/discord/verify/${code}`)
    else {
      await query(
        chancery.databaseUrl,
        `update chancery_access.verification_code
         set created_at = created_at - $1::interval, expires_at = expires_at - $1::interval
         where redeemed_at is null`,
        [age],
      )
      await query(
        chancery.databaseUrl,
        `update chancery_world.nation set known_since = known_since - $1::interval where id = 'n2'`,
        [age],
      )
    }
    return { server: chancery, env: { CODE: code } }
  }

  /** The fixtures of pages whose call needs one. */
  const fixtures: Partial<Record<ErrorCode | OperatorErrorCode, (t: TestContext) => Promise<Fixture>>> = {
    insufficient_scope: () => withKey('n1', 'nation.read'),
    not_entitled: () => withKey('n3', 'treasury.read'),
    verification_code_expired: () => withCode('10 minutes'),
    verification_code_used: () => withCode(),
    insufficient_role: () => withOperatorToken('prometheus'),
    conflict: () => withOperatorToken('prometheus', chancery.operatorToken),
    async range_not_satisfiable() {
      await takeSnapshot(chancery.databaseUrl, contractFor(demoProfile))
      return { server: chancery }
    },
    async rate_limited(t) {
      const small = await startTestServer({ CHANCERY_ANONYMOUS_LIMIT: String(limits.anonymousCalls) })
      t.after(() => small.close())
      for (let call = 0; call < limits.anonymousCalls; call += 1) await small.get('/eras')
      return { server: small }
    },
    async internal_error(t) {
      const rename = (from: string, to: string) =>
        query(chancery.databaseUrl, `alter table chancery_world.${from} rename to ${to}`)
      await rename('era', 'era_missing')
      t.after(() => rename('era_missing', 'era'))
      return { server: chancery }
    },
    async unavailable(t) {
      const { server, proxy } = await startBehindProxy(t, chancery.databaseUrl)
      proxy.cut()
      await untilStatus(errors.unavailable.status, server, '/nations')
      return { server }
    },
  }

  /** Runs the command of a page at another address. */
  async function runCall(call: string, { server, env = {} }: Fixture): Promise<string> {
    const command = call
      .replaceAll('http://127.0.0.1:8080', server.url)
      .replaceAll('http://127.0.0.1:8081', server.operatorUrl)
      .replace('curl -i', 'curl -si')
    const { stdout } = await run('sh', ['-euc', command], { env: { ...process.env, ...env } })
    return stdout
  }

  /** The response to an incomplete request, without Node's timeout of half a minute. */
  async function timedOutResponse(t: TestContext): Promise<string> {
    const peek = () => ({ limit: 60, remaining: 60, resetAt: 0, isAllowed: true, retryAfterSeconds: 1 })
    const requestIds = createRequestIds(createTrustedProxies([]))
    const observer = { recordUnrouted: () => {} }
    const parserErrors = createProtocolErrors({ peek }, requestIds, observer, { lingerMs: 2_000 })
    const timedOut = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    const port = await listen(
      createServer(socket => parserErrors.onClientError(timedOut, socket)),
      t,
    )
    const { responses } = await sendRaw(`http://127.0.0.1:${port}`, 'GET /')
    const [response] = responses
    assert.ok(response)
    const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`)
    return ['HTTP/1.1 408 Request Timeout', ...lines, '', response.body].join('\n')
  }

  for (const code of pageCodes) {
    test(code, async t => {
      const page = await pageOf(code)
      const fixture = (await fixtures[code]?.(t)) ?? { server: chancery }
      const raw =
        code === 'request_timeout'
          ? await timedOutResponse(t)
          : await runCall(markedBlock(page, 'call'), fixture)
      const response = shownResponse(raw, code)
      assert.ok(response.includes(`"code":"${code}"`), response)
      if (records) await writeFile(fileOf(code), withResponse(page, response))
      else
        assert.equal(
          withoutVariableParts(markedBlock(page, 'response').trimEnd()),
          withoutVariableParts(response),
          howToWrite,
        )
    })
  }
})
