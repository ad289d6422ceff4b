import type { Page } from 'playwright-core'
import { button, dialog } from './visitor.ts'

/** Something that a player looks at: a page, and what is done on it before it is looked at. */
export interface View {
  name: string
  path: string
  prepare?: (page: Page) => Promise<unknown>
}

const press = (name: string) => (page: Page) => button(page.getByRole('main'), name).first().click()

async function createKey(page: Page) {
  await press('Create key')(page)
  const create = dialog(page, 'Create key')
  await create.getByLabel('Name').fill('Looked at')
  await create.getByLabel('military.read').check()
}

async function openEndpoint(page: Page) {
  await page.getByRole('list', { name: 'Endpoints' }).getByRole('link').first().click()
  await button(page, 'Edit').waitFor()
}

async function pickEvents(page: Page) {
  await page.getByLabel('Every kind of event').uncheck()
  await page.getByLabel('All of war').check()
  await page.getByText('Sample of battle.fought').click()
}

/** On the page of an endpoint. */
const atEndpoint = (prepare: (page: Page) => Promise<unknown>) => async (page: Page) => {
  await openEndpoint(page)
  await prepare(page)
}

/** Presses a button, and waits for the dialog that it opens. */
const opens = (name: string, title: string | RegExp) => async (page: Page) => {
  await press(name)(page)
  await dialog(page, title).waitFor()
}

/** With a key made for it: so the page is at its longest. */
async function tryCall(page: Page) {
  await page.getByLabel('Operation').selectOption('me.nation')
  await page.getByLabel('Who asks').selectOption('A key of mine')
  await press('Make a key for an hour')(page)
  await press('Send')(page)
  await page.getByRole('heading', { name: 'Answer' }).waitFor()
}

/** Every page of whoever is signed in, in every state that is laid out in a way of its own. */
export const views: View[] = [
  { name: 'verify', path: '/' },
  {
    name: 'a code',
    path: '/',
    prepare: async page => {
      await press('Make a code')(page)
      await page.getByRole('region', { name: 'Verification code' }).waitFor()
      await page.getByText('shown above').waitFor()
    },
  },
  { name: 'keys', path: '/keys', prepare: page => page.getByText(/^Revoked and expired keys/).click() },
  { name: 'create key', path: '/keys', prepare: createKey },
  {
    name: 'a new key',
    path: '/keys',
    prepare: async page => {
      await createKey(page)
      await button(dialog(page, 'Create key'), 'Create').click()
      await button(page, 'Copy key').waitFor()
    },
  },
  { name: 'replace a key', path: '/keys', prepare: opens('Replace', /^Replace “/) },
  { name: 'revoke a key', path: '/keys', prepare: opens('Revoke', /^Revoke “/) },
  { name: 'revoke all', path: '/keys', prepare: opens('Revoke all of these', /^Revoke all keys/) },
  { name: 'ask for more', path: '/keys', prepare: opens('Ask for a higher limit', /^A higher limit/) },
  { name: 'usage', path: '/usage' },
  { name: 'usage as a table', path: '/usage', prepare: press('Show as a table') },
  { name: 'webhooks', path: '/webhooks' },
  { name: 'add a webhook', path: '/webhooks/new', prepare: pickEvents },
  {
    name: 'a webhook',
    path: '/webhooks',
    prepare: atEndpoint(page =>
      page.getByRole('list', { name: 'Deliveries' }).locator('summary').first().click(),
    ),
  },
  { name: 'edit a webhook', path: '/webhooks', prepare: atEndpoint(press('Edit')) },
  {
    name: 'a new secret',
    path: '/webhooks',
    prepare: atEndpoint(async page => {
      await press('Replace secret')(page)
      await button(dialog(page, 'Replace the secret?'), 'Replace it').click()
      await button(page, 'Copy secret').waitFor()
    }),
  },
  {
    name: 'replay a span',
    path: '/webhooks',
    prepare: atEndpoint(opens('Replay a span', 'Replay a span')),
  },
  {
    name: 'remove a webhook',
    path: '/webhooks',
    prepare: atEndpoint(opens('Remove', 'Remove this endpoint?')),
  },
  { name: 'explore', path: '/explore' },
  {
    name: 'search in explore',
    path: '/explore?kind=alliance&id=a1',
    prepare: async page => {
      await page.getByLabel('Search for another').fill('kars')
      await page.getByRole('list', { name: 'Found' }).getByRole('button').first().waitFor()
    },
  },
  { name: 'try', path: '/try' },
  { name: 'an answer', path: '/try', prepare: tryCall },
  { name: 'account log', path: '/log' },
  { name: 'sign out everywhere', path: '/log', prepare: opens('Sign out everywhere', /everywhere\?$/) },
  { name: 'nothing', path: '/nothing-of-this-name' },
]
