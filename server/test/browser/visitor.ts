import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { basePathOf } from '../../src/http/base-path.ts'
import type { SignInTarget } from '../account/browser.ts'

/** The time allowed for an effect that is promised within a second, with a margin for a busy machine. */
export const promisedMs = 2_000

/** A page in a browser context of its own. */
export interface Visitor {
  page: Page
  /** Console errors, exceptions, policy violations, failed requests, and requests to other origins or outside the base path. */
  problems: string[]
  /** Error responses of the account API, such as `410 POST /handover`. */
  rejections: string[]
  /** Opens a path of the settings and waits until it has loaded. */
  open(path: string): Promise<void>
  /** Signs in with a handover link in the page. */
  signIn(target: SignInTarget): Promise<void>
  /** Signs in with a handover token by the API. */
  signInByApi(target: SignInTarget): Promise<void>
  close(): Promise<void>
}

/** The URL of a service, and how a test gets a handover token. */
export interface Service {
  url: string
  handover(target: SignInTarget): Promise<string>
}

export async function newVisitor(
  browser: Browser,
  { url, handover }: Service,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const { origin } = new URL(options.baseURL ?? url)
  const basePath = basePathOf(url)
  const home = `${basePath}/developers`
  const apiBase = `${home}/api`
  const context = await browser.newContext({ baseURL: origin, ...options })
  context.setDefaultTimeout(60_000)
  const problems: string[] = []
  const rejections: string[] = []
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', event =>
      console.error('violates ' + event.effectiveDirective + ': ' + event.blockedURI))`)

  context.on('console', message => {
    // The browser logs every failed response; those of the account API are recorded in `rejections`.
    const isRejection = message.location().url.startsWith(origin + apiBase)
    if (['error', 'warning'].includes(message.type()) && !isRejection) problems.push(message.text())
  })
  context.on('weberror', ({ error }) => problems.push(String(error())))
  context.on('request', req => {
    const url = new URL(req.url())
    const isOutside = url.origin !== origin || !url.pathname.startsWith(`${basePath}/`)
    if (/^(https?|wss?):$/.test(url.protocol) && isOutside) problems.push(`requests ${req.url()}`)
  })
  context.on('response', res => {
    const { pathname } = new URL(res.url())
    if (res.status() < 400) return
    const what = `${res.status()} ${res.request().method()} ${pathname.replace(apiBase, '')}`
    ;(pathname.startsWith(apiBase) ? rejections : problems).push(what)
  })
  const page = await context.newPage()

  return {
    page,
    problems,
    rejections,
    async open(path) {
      await page.goto(home + path)
      await loaded(page)
    },
    async signIn(target) {
      await page.goto(`${home}/#handover=${await handover(target)}`)
      await button(page, 'Continue').click()
      await button(page, 'Sign out').waitFor()
      await loaded(page)
    },
    async signInByApi(target) {
      const response = await context.request.post(`${apiBase}/session`, {
        data: { token: await handover(target) },
        headers: { origin },
      })
      assert.equal(response.status(), 200)
    },
    close: () => context.close(),
  }
}

/** Waits until the page has its heading and no skeletons. */
export async function loaded(page: Page): Promise<void> {
  await heading(page).waitFor()
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
}

/** Opens a page by its link in the navigation. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  await loaded(page)
}

export const heading = (page: Page) => page.getByRole('heading', { level: 1 })

export const button = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true })

/** A button of a key, whose accessible name also has the key's. */
export const keyButton = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name: new RegExp(`^${name}: `) })

/** The open dialog of this title. */
export const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })

/** The code on display. */
export async function displayedCode(page: Page): Promise<string> {
  const text = (await page.getByRole('region', { name: 'Verification code' }).textContent()) ?? ''
  const code = text.replace(/\s/g, '')
  assert.match(code, /^[2-9A-Z]{10}$/)
  return code
}
