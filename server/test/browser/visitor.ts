import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { Whom } from '../account/browser.ts'

/** How long something may take that is promised within a second: as long again for a busy machine. */
export const promisedMs = 2_000

/** Somebody at a browser of their own, with nothing in it. */
export interface Visitor {
  page: Page
  /** What the page should have given no reason for: words of the console, errors, violations of its policy, calls to other origins. */
  complaints: string[]
  /** What the page's own API refused, like `401 GET /session`. */
  refusals: string[]
  /** Opens a path of the settings, and waits until nothing is loading. */
  open(path: string): Promise<void>
  /** Signs in with a link of the game, and goes on. */
  signIn(whom: Whom): Promise<void>
  /** Is signed in by a link without having seen its page. */
  enter(whom: Whom): Promise<void>
  close(): Promise<void>
}

const apiBase = '/developers/api'

/** Where a service is, and how its game gets the token of a link. */
export interface Visited {
  url: string
  handover(whom: Whom): Promise<string>
}

export async function newVisitor(
  browser: Browser,
  { url, handover }: Visited,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const { origin } = new URL(options.baseURL ?? url)
  const context = await browser.newContext({ baseURL: origin, ...options })
  context.setDefaultTimeout(60_000)
  const complaints: string[] = []
  const refusals: string[] = []
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', event =>
      console.error('violates ' + event.effectiveDirective + ': ' + event.blockedURI))`)

  context.on('console', message => {
    // The browser writes down every refusal itself; of those of the page's own API it is known which they are.
    const isRefusal = message.location().url.startsWith(origin + apiBase)
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text())
  })
  context.on('weberror', ({ error }) => complaints.push(String(error())))
  context.on('request', req => {
    const url = new URL(req.url())
    if (/^(https?|wss?):$/.test(url.protocol) && url.origin !== origin) complaints.push(`asks ${req.url()}`)
  })
  context.on('response', res => {
    const { pathname } = new URL(res.url())
    if (res.status() < 400) return
    const what = `${res.status()} ${res.request().method()} ${pathname.replace(apiBase, '')}`
    ;(pathname.startsWith(apiBase) ? refusals : complaints).push(what)
  })
  const page = await context.newPage()

  return {
    page,
    complaints,
    refusals,
    async open(path) {
      await page.goto(`/developers${path}`)
      await loaded(page)
    },
    async signIn(whom) {
      await page.goto(`/developers/#handover=${await handover(whom)}`)
      await button(page, 'Go on').click()
      await button(page, 'Sign out').waitFor()
      await loaded(page)
    },
    async enter(whom) {
      const answer = await context.request.post(`${apiBase}/session`, {
        data: { token: await handover(whom) },
        headers: { origin },
      })
      assert.equal(answer.status(), 200)
    },
    close: () => context.close(),
  }
}

/** Waits until the page has its heading and holds no place for what is still coming. */
export async function loaded(page: Page): Promise<void> {
  await heading(page).waitFor()
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
}

/** Goes to a page by the link in the menu. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  await loaded(page)
}

export const heading = (page: Page) => page.getByRole('heading', { level: 1 })

export const button = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true })

/** The dialog that is open. */
export const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })

/** The code that the page shows, when it shows one. */
export async function shownCode(page: Page): Promise<string> {
  const text = (await page.getByRole('region', { name: 'Verification code' }).textContent()) ?? ''
  const code = text.replace(/\s/g, '')
  assert.match(code, /^[2-9A-Z]{10}$/)
  return code
}
