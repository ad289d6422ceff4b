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

/** A response with its text, and its body if that is JSON. */
export interface BrowserResponse<T = never> {
  status: number
  headers: Headers
  text: string
  body: T
}

export interface Rejection {
  error: { code: string; message: string; field?: string; request_id: string }
}

/** The body as text, or as an object that is sent as JSON. */
export interface Sent {
  body?: object | string | undefined
  headers?: Record<string, string | undefined>
}

/** A client with a cookie jar and an address of its own. */
export interface Browser {
  address: string
  cookie: string | undefined
  csrfToken: string | undefined
  /** Sends a request to the account API as the page does; undefined headers are omitted. */
  request<T = Rejection>(method: string, path: string, sent?: Sent): Promise<BrowserResponse<T>>
  /** The body of a successful response. */
  requestOk<T>(method: string, path: string, body?: object): Promise<T>
}

/** A player who is signed in. */
export interface SignedIn extends Browser {
  session: AccountSession
  token: string
}

/** A server that takes the address of each browser from X-Forwarded-For, so that rate limits apply to each alone. */
export async function startAccounts(
  facts: Fact[] = [],
  env: Record<string, string> = {},
  options: TestServerOptions = {},
): Promise<TestServer> {
  const chancery = await startTestServer({ CHANCERY_TRUSTED_PROXIES: '127.0.0.1', ...env }, options)
  try {
    if (facts.length > 0) await chancery.ingest(facts)
  } catch (error) {
    // An open server would keep the process of the test alive.
    await chancery.close()
    throw error
  }
  return chancery
}

let browsers = 0

/** `url` is the address of the listener, if it differs from the origin. */
export function openBrowser(
  { url: origin }: Pick<TestServer, 'url'>,
  { url = origin }: { url?: string } = {},
): Browser {
  browsers += 1
  const browser: Browser = {
    address: `198.51.${browsers >> 8}.${browsers & 255}`,
    cookie: undefined,
    csrfToken: undefined,
    async request(method, path, { body, headers = {} } = {}) {
      const isChange = method !== 'GET' && method !== 'HEAD'
      const given: Record<string, string | undefined> = {
        'x-forwarded-for': browser.address,
        'sec-fetch-site': 'same-origin',
        cookie: browser.cookie,
        ...(isChange ? { origin: new URL(origin).origin, 'x-csrf-token': browser.csrfToken } : {}),
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
    async requestOk<T>(method: string, path: string, body?: object) {
      const response = await browser.request<T>(method, path, { body })
      assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${response.text}`)
      return response.body
    },
  }
  return browser
}

function parsed(text: string): never {
  return (text.startsWith('{') ? JSON.parse(text) : undefined) as never
}

/** The address of the public listener, behind any proxy. */
export async function listenerOf({ dataDir }: TestServer): Promise<string> {
  const text = await readFile(join(dataDir, 'addresses.json'), 'utf8')
  return (JSON.parse(text) as { public: string }).public
}

/** The player of a sign-in link, and the page that it opens. */
export type SignInTarget = ({ nation_id: string } | { player_id: string }) & { landing?: Landing }

/** Requests a sign-in link as the game's server does. Returns its token. */
export async function handover(
  { operate }: Pick<TestServer, 'operate'>,
  target: SignInTarget,
): Promise<string> {
  const response = await operate('POST', '/handovers', target)
  const { url } = (await response.json()) as { url: string }
  const [, token] = url.split('#handover=')
  assert.ok(response.status === 201 && token, url)
  return token
}

/** Signs in by a link, as the page does. */
export async function signIn(
  chancery: Pick<TestServer, 'url' | 'operate'>,
  target: SignInTarget,
  browser = openBrowser(chancery),
): Promise<SignedIn> {
  const token = await handover(chancery, target)
  const session = await browser.requestOk<AccountSession>('POST', '/session', { token })
  browser.csrfToken = session.csrf_token
  return Object.assign(browser, { session, token })
}

/** Asserts an error response of the account API. Returns its message. */
export function assertRejected(
  response: BrowserResponse<Rejection>,
  status: number,
  code: string,
  what = '',
): string {
  assert.deepEqual([response.status, response.body?.error?.code], [status, code], `${what} ${response.text}`)
  const { error } = response.body
  assert.equal(error.request_id, response.headers.get('x-request-id'), what)
  assert.equal(response.headers.get('cache-control'), 'no-store', what)
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff', what)
  const { field: _, ...rest } = error
  assert.deepEqual(Object.keys(rest).sort(), ['code', 'message', 'request_id'], what)
  return error.message
}

/** The body that creates a key. */
export const keyDraft = (more: object = {}) => ({
  name: 'x',
  scopes: ['nation.read'],
  expires_at: null,
  ...more,
})

/** The body that adds an endpoint for all events. */
export const endpointDraft = (url: string, more: object = {}) => ({
  url,
  description: '',
  types: null,
  nation_ids: null,
  alliance_ids: null,
  ...more,
})
