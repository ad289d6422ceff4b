import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccountSession, Landing } from '@chancery/contract'
import { accountBase } from '../../src/account/account-api.ts'
import {
  type Fact,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../support/test-server.ts'

/** What came back, and what it holds where it is JSON. */
export interface Answered<T = never> {
  status: number
  headers: Headers
  text: string
  body: T
}

export interface Refusal {
  error: { code: string; message: string; request_id: string }
}

/** A body as it goes over the wire, or an object that becomes one. */
export interface Sent {
  body?: object | string | undefined
  headers?: Record<string, string | undefined>
}

/** A browser on the page: it keeps its cookie, and comes from an address of its own. */
export interface Browser {
  address: string
  cookie: string | undefined
  csrfToken: string | undefined
  /** Asks the page's own API as the page does; headers that are undefined are left out. */
  ask<T = Refusal>(method: string, path: string, sent?: Sent): Promise<Answered<T>>
  /** The body of what is known to succeed. */
  done<T>(method: string, path: string, body?: object): Promise<T>
}

/** A player who is signed in. */
export interface SignedIn extends Browser {
  session: AccountSession
  token: string
}

/** A server whose limits by address are apart for every browser of a test. */
export async function startAccounts(
  facts: Fact[] = [],
  env: Record<string, string> = {},
  defaults: TestServerOptions['defaults'] = {},
): Promise<TestServer> {
  const chancery = await startTestServer({ CHANCERY_TRUSTED_PROXIES: '127.0.0.1', ...env }, { defaults })
  try {
    if (facts.length > 0) await chancery.ingest(facts)
  } catch (error) {
    // A server that nobody has would keep the process of the test, and the whole run.
    await chancery.close()
    throw error
  }
  return chancery
}

let browsers = 0

/** `url` is the listener's own address, where that is not what callers see. */
export function openBrowser(
  { url: origin }: Pick<TestServer, 'url'>,
  { url = origin }: { url?: string } = {},
): Browser {
  browsers += 1
  const browser: Browser = {
    address: `198.51.${browsers >> 8}.${browsers & 255}`,
    cookie: undefined,
    csrfToken: undefined,
    async ask(method, path, { body, headers = {} } = {}) {
      const isChange = method !== 'GET' && method !== 'HEAD'
      const given: Record<string, string | undefined> = {
        'x-forwarded-for': browser.address,
        'sec-fetch-site': 'same-origin',
        cookie: browser.cookie,
        ...(isChange ? { origin, 'x-csrf-token': browser.csrfToken } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      }
      const response = await fetch(url + accountBase + path, {
        method,
        headers: Object.entries(given).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value] as [string, string]],
        ),
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const [cookie] = response.headers.getSetCookie()
      if (cookie !== undefined) browser.cookie = cookie.split(';')[0]
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: parsed(text) }
    },
    async done<T>(method: string, path: string, body?: object) {
      const answer = await browser.ask<T>(method, path, { body })
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.body
    },
  }
  return browser
}

function parsed(text: string): never {
  return (text.startsWith('{') ? JSON.parse(text) : undefined) as never
}

/** Where the public listener of a server is, whatever its callers see in front of it. */
export async function listenerOf({ dataDir }: TestServer): Promise<string> {
  const text = await readFile(join(dataDir, 'addresses.json'), 'utf8')
  return (JSON.parse(text) as { public: string }).public
}

/** Whom a link is for, and where it leads. */
export type Whom = ({ nation_id: string } | { player_id: string }) & { landing?: Landing }

/** The token of a link that the game's server asks for. */
export async function handover({ operate }: Pick<TestServer, 'operate'>, whom: Whom): Promise<string> {
  const response = await operate('POST', '/handovers', whom)
  const { url } = (await response.json()) as { url: string }
  const [, token] = url.split('#handover=')
  assert.ok(response.status === 201 && token, url)
  return token
}

/** Signs in by a link, as the page does. */
export async function signIn(
  chancery: Pick<TestServer, 'url' | 'operate'>,
  whom: Whom,
  browser = openBrowser(chancery),
): Promise<SignedIn> {
  const token = await handover(chancery, whom)
  const session = await browser.done<AccountSession>('POST', '/session', { token })
  browser.csrfToken = session.csrf_token
  return Object.assign(browser, { session, token })
}

/** Asserts that something was refused in the one shape of errors, and returns the message. */
export function assertRefused(answer: Answered<Refusal>, status: number, code: string, what = ''): string {
  assert.deepEqual([answer.status, answer.body?.error?.code], [status, code], `${what} ${answer.text}`)
  const { error } = answer.body
  assert.equal(error.request_id, answer.headers.get('x-request-id'), what)
  assert.equal(answer.headers.get('cache-control'), 'no-store', what)
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', what)
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'request_id'], what)
  return error.message
}
