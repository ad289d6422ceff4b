/**
 * Looks at the developer settings page of a running demo as a person would: every page, light and dark, wide and on a phone,
 * into a folder of pictures. Says what axe finds serious, what is wider than the screen, what the console complains about, and
 * requests to other origins; exits 1 if there is any of it.
 *
 *     node tools/screenshot-portal.ts http://127.0.0.1:8080 /tmp/pictures
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'

const [baseUrl = '', folder = ''] = process.argv.slice(2)
if (!baseUrl || !folder) throw new Error('usage: node tools/screenshot-portal.ts BASE_URL FOLDER')
const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
mkdirSync(folder, { recursive: true })

interface View {
  name: string
  path: string
  /** What is done on the page before it is looked at. */
  prepare?: (page: Page) => Promise<void>
}

const press = (name: string) => async (page: Page) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).first().click()

/** In this order: later pages show what was made on earlier ones. */
const views: View[] = [
  { name: 'verify', path: '/' },
  { name: 'verify-code', path: '/', prepare: press('Create code') },
  { name: 'keys', path: '/keys' },
  { name: 'keys-create', path: '/keys', prepare: createKey },
  { name: 'keys-created', path: '/keys', prepare: createdKey },
  { name: 'keys-regenerate', path: '/keys', prepare: press('Regenerate') },
  { name: 'keys-revoke', path: '/keys', prepare: press('Revoke') },
  { name: 'keys-limit', path: '/keys', prepare: press('Request higher limit') },
  { name: 'usage', path: '/usage' },
  { name: 'usage-table', path: '/usage', prepare: press('Show as table') },
  { name: 'webhooks-add', path: '/webhooks/new', prepare: pickEvents },
  { name: 'webhooks-added', path: '/webhooks/new', prepare: addEndpoint },
  { name: 'webhooks', path: '/webhooks' },
  { name: 'webhooks-endpoint', path: '/webhooks', prepare: openEndpoint },
  { name: 'explore', path: '/explore' },
  { name: 'playground', path: '/try', prepare: sendRequest },
  { name: 'log', path: '/log' },
  { name: 'not-found', path: '/nothing-of-this-name' },
]

async function createKey(page: Page) {
  await press('Create key')(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Test bot')
  await dialog.getByLabel('military.read').check()
}

async function createdKey(page: Page) {
  await createKey(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'Copy key' }).waitFor()
}

async function pickEvents(page: Page) {
  await page.getByLabel('All events').uncheck()
  await page.getByLabel('All war events').check()
  await page.getByText('Sample of battle.fought').click()
}

async function addEndpoint(page: Page) {
  await page.getByLabel('URL').fill(`${baseUrl}/nobody-listens-here`)
  await press('Add endpoint')(page)
  await page.getByRole('button', { name: 'Copy secret' }).waitFor()
}

async function openEndpoint(page: Page) {
  await page.getByRole('list', { name: 'Endpoints' }).getByRole('link').first().click()
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  const first = page.getByRole('list', { name: 'Deliveries' }).locator('summary').first()
  if (await first.count()) await first.click()
}

/** With a key made for it: that is the longest the page gets. */
async function sendRequest(page: Page) {
  await page.getByLabel('Operation').selectOption('me.nation')
  await page.getByLabel('Authentication').selectOption('API key')
  await press('Create temporary key')(page)
  await press('Send')(page)
  await page.getByRole('heading', { name: 'Response' }).waitFor()
}

const complaints: string[] = []

/** Takes the screenshot, and checks what a screenshot does not show. */
async function look(page: Page, name: string) {
  await page.waitForLoadState('networkidle')
  // Pictures taken in the middle of a transition show intermediate colours.
  await page.evaluate(
    `Promise.all(document.getAnimations()
      .filter(({ effect }) => effect.getTiming().iterations !== Infinity)
      .map(({ finished }) => finished.catch(() => {})))`,
  )
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  if (beyond > 0) complaints.push(`${name}: ${beyond} px wider than the screen`)
  // Evaluated by the debugger, not by the page: its content security policy stays in force.
  await page.evaluate(axeSource)
  const found = await page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`,
  )
  complaints.push(...found.map(words => `${name}: axe: ${words}`))
}

/** Flags are on the game's own servers; the responses for a missing session and a used link are expected. */
const isExpected = (text: string, url: string) => /\b(401|410)\b/.test(text) || !isOurs(url)
const isOurs = (url: string) => new URL(url, baseUrl).origin === new URL(baseUrl).origin

function listen(page: Page, name: string) {
  page.on('console', message => {
    if (message.type() === 'error' && !isExpected(message.text(), message.location().url))
      complaints.push(`${name}: console: ${message.text()}`)
  })
  page.on('pageerror', error => complaints.push(`${name}: ${error.message}`))
  page.on('request', req => {
    if (!isOurs(req.url()) && req.resourceType() !== 'image')
      complaints.push(`${name}: requests another origin: ${req.url()}`)
  })
}

async function lookAtAll(context: BrowserContext, suffix: string) {
  const page = await context.newPage()
  listen(page, suffix)
  const show = (path: string) => page.goto(`${baseUrl}/developers${path}`, { waitUntil: 'networkidle' })

  await show('/#handover=used-long-ago')
  await look(page, `handover-over-${suffix}`)
  await show('/')
  await look(page, `signed-out-${suffix}`)
  // Another player each time: what is made here stays, and a player may have ten endpoints.
  const players = page.getByRole('list', { name: 'Demo players' }).getByRole('button')
  await players.nth(Math.floor(Math.random() * (await players.count()))).click()
  await page.getByRole('heading', { name: 'Verify', exact: true }).waitFor()
  for (const { name, path, prepare } of views) {
    await show(path)
    await prepare?.(page)
    await look(page, `${name}-${suffix}`)
  }
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
      await lookAtAll(context, `${colorScheme}-${width}`)
      await context.close()
    }
  }
} finally {
  await browser.close()
}
for (const complaint of complaints) console.error(complaint)
console.log(`pictures are in ${folder}; ${complaints.length} complaints`)
if (complaints.length > 0) process.exitCode = 1
