/** The pages of errors say what the contract says, and show what a server answers. With RECORD_EXAMPLES=1 it writes both into them. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type ErrorCode, errors, limits, type OperatorErrorCode } from '@chancery/contract'
import { createProtocolErrors } from '../server/src/http/protocol-errors.ts'
import { createRequestIds } from '../server/src/http/request-id.ts'
import { createTrustedProxies } from '../server/src/http/trusted-proxies.ts'
import { query } from '../server/test/access/query.ts'
import { exchange } from '../server/test/http/raw.ts'
import { smallWorld } from '../server/test/http/world.ts'
import { startBehindProxy, untilStatus } from '../server/test/support/tcp-proxy.ts'
import { startTestServer, type TestServer } from '../server/test/support/test-server.ts'
import { lasting, pageCodes, shownAnswer, withAnswer, withFacts, withLists } from './guides/error-page.ts'
import { markedBlock } from './guides/marked-block.ts'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('../docs/errors/', import.meta.url))
const records = process.env.RECORD_EXAMPLES === '1'
const howToWrite = 'write it anew with RECORD_EXAMPLES=1 npm test -- tools/error-pages.test.ts'

const fileOf = (code: string) => join(folder, `${code}.md`)
const pageOf = (code: string) => readFile(fileOf(code), 'utf8')

test('every code has a page with the contract’s words, and no page is left over', async () => {
  for (const code of pageCodes) {
    const page = await pageOf(code)
    if (records) await writeFile(fileOf(code), withFacts(page, code))
    else assert.equal(page, withFacts(page, code), `${code}.md: ${howToWrite}`)
    assert.ok(page.startsWith(`# \`${code}\`\n`), code)
  }
  const expected = [...pageCodes.map(code => `${code}.md`), 'README.md'].sort()
  assert.deepEqual((await readdir(folder)).sort(), expected)
})

test('the list of errors has all of them, in the contract’s words', async () => {
  const list = await pageOf('README')
  if (records) await writeFile(fileOf('README'), withLists(list))
  else assert.equal(list, withLists(list), howToWrite)
})

/** Where a page's call goes, and what its shell finds in the environment. */
interface Scene {
  at: Pick<TestServer, 'url' | 'operatorUrl'>
  env?: Record<string, string>
}

const hasCurl = spawnSync('curl', ['--version']).status === 0 ? {} : { skip: 'curl is not installed' }

describe('the call that a page shows is answered as the page shows', hasCurl, () => {
  let chancery: TestServer
  before(async () => {
    chancery = await startTestServer()
    await chancery.ingest(smallWorld())
  })
  after(() => chancery.close())

  const withKey = async (nationId: string, scope: 'nation.read' | 'treasury.read'): Promise<Scene> => ({
    at: chancery,
    env: { CHANCERY_KEY: (await chancery.makeKey({ nation_id: nationId }, [scope])).key },
  })

  async function withOperatorToken(name: string, text?: string): Promise<Scene> {
    const made = await chancery.operate('POST', '/tokens', { name, roles: ['metrics'] })
    const { token } = (await made.json()) as { token: string }
    return { at: chancery, env: { CHANCERY_OPERATOR_TOKEN: text ?? token } }
  }

  async function withCode(age?: string): Promise<Scene> {
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
    return { at: chancery, env: { CODE: code } }
  }

  /** What has to be so before the call of a page; most need nothing. */
  const scenes: Partial<Record<ErrorCode | OperatorErrorCode, (t: TestContext) => Promise<Scene>>> = {
    insufficient_scope: () => withKey('n1', 'nation.read'),
    not_entitled: () => withKey('n3', 'treasury.read'),
    verification_code_expired: () => withCode('10 minutes'),
    verification_code_used: () => withCode(),
    insufficient_role: () => withOperatorToken('prometheus'),
    conflict: () => withOperatorToken('prometheus', chancery.operatorToken),
    async rate_limited(t) {
      const small = await startTestServer({ CHANCERY_ANONYMOUS_LIMIT: String(limits.anonymousCalls) })
      t.after(() => small.close())
      for (let call = 0; call < limits.anonymousCalls; call += 1) await small.get('/eras')
      return { at: small }
    },
    async internal_error(t) {
      const rename = (from: string, to: string) =>
        query(chancery.databaseUrl, `alter table chancery_world.${from} rename to ${to}`)
      await rename('era', 'era_away')
      t.after(() => rename('era_away', 'era'))
      return { at: chancery }
    },
    async unavailable(t) {
      const { server, proxy } = await startBehindProxy(t, chancery.databaseUrl)
      proxy.cut()
      await untilStatus(errors.unavailable.status, server, '/nations')
      return { at: server }
    },
  }

  /** The page's command, as a reader runs it, but at another address. */
  async function ask(call: string, { at, env = {} }: Scene): Promise<string> {
    const command = call
      .replaceAll('http://127.0.0.1:8080', at.url)
      .replaceAll('http://127.0.0.1:8081', at.operatorUrl)
      .replace('curl -i', 'curl -si')
    const { stdout } = await run('sh', ['-euc', command], { env: { ...process.env, ...env } })
    return stdout
  }

  /** What does not arrive. Node waits half a minute before it says so: here it says so at once. */
  async function askTooSlowly(t: TestContext): Promise<string> {
    const peek = () => ({ limit: 60, remaining: 60, resetAt: 0, isAllowed: true, retryAfterSeconds: 1 })
    const requestIds = createRequestIds(createTrustedProxies([]))
    const observer = { recordUnrouted: () => {} }
    const parserErrors = createProtocolErrors({ peek }, requestIds, observer, { lingerMs: 2_000 })
    const timedOut = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    const server = createServer(socket => parserErrors.onClientError(timedOut, socket))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const address = server.address()
    assert.ok(address && typeof address === 'object')
    const { answers } = await exchange(`http://127.0.0.1:${address.port}`, 'GET /')
    const [answer] = answers
    assert.ok(answer)
    const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`)
    return ['HTTP/1.1 408 Request Timeout', ...lines, '', answer.body].join('\n')
  }

  for (const code of pageCodes) {
    test(code, async t => {
      const page = await pageOf(code)
      const scene = (await scenes[code]?.(t)) ?? { at: chancery }
      const raw =
        code === 'request_timeout' ? await askTooSlowly(t) : await ask(markedBlock(page, 'call'), scene)
      const answer = shownAnswer(raw, code)
      assert.ok(answer.includes(`"code":"${code}"`), answer)
      if (records) await writeFile(fileOf(code), withAnswer(page, answer))
      else assert.equal(lasting(markedBlock(page, 'answer').trimEnd()), lasting(answer), howToWrite)
    })
  }
})
