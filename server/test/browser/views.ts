import type { Page } from 'playwright-core'
import { button, dialog, keyButton } from './visitor.ts'

/** A page, and the actions that bring it into the state to check. */
export interface View {
  name: string
  path: string
  prepare?: (page: Page) => Promise<unknown>
}

const press = (name: string) => (page: Page) => button(page.getByRole('main'), name).first().click()

async function createKey(page: Page) {
  await press('Create key')(page)
  const create = dialog(page, 'Create key')
  await create.getByLabel('Name').fill('Test bot')
  await create.getByLabel('military.read').check()
}

async function openEndpoint(page: Page) {
  await page.getByRole('list', { name: 'Endpoints' }).getByRole('link').first().click()
  await button(page, 'Edit').waitFor()
}

async function pickEvents(page: Page) {
  await page.getByLabel('All events').uncheck()
  await page.getByLabel('All war events').check()
  await page.getByText('Sample of battle.fought', { exact: true }).click()
}

/** Runs actions on the page of an endpoint. */
const atEndpoint = (prepare: (page: Page) => Promise<unknown>) => async (page: Page) => {
  await openEndpoint(page)
  await prepare(page)
}

/** Clicks a button and waits for the dialog that it opens. */
const opens = (name: string, title: string | RegExp) => async (page: Page) => {
  await press(name)(page)
  await dialog(page, title).waitFor()
}

const opensOfKey = (name: string, title: RegExp) => async (page: Page) => {
  await keyButton(page, name).first().click()
  await dialog(page, title).waitFor()
}

/** With a temporary key, the page is at its longest. */
async function sendRequest(page: Page) {
  await page.getByLabel('Operation').selectOption('me.nation')
  await page.getByText(/^Scopes: /).click()
  await press('Send')(page)
  await page.getByRole('heading', { name: 'Response' }).waitFor()
}

/** Every page of a signed-in player, in every state with a layout of its own. */
export const views: View[] = [
  { name: 'verify', path: '/' },
  {
    name: 'a code',
    path: '/',
    prepare: async page => {
      await press('Create code')(page)
      await page.getByRole('region', { name: 'Verification code' }).waitFor()
      await page.getByText('shown above').waitFor()
    },
  },
  {
    name: 'an invalid account',
    path: '/',
    prepare: async page => {
      await page.getByLabel('Chat account (optional)').fill('a name')
      await page.keyboard.press('Tab')
      await page.getByText('An account number has only digits.').waitFor()
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
  {
    name: 'a link that requests a key',
    path: '/keys/new?name=War+bot&scopes=military.read,treasury.read,units.write&expires=31',
    prepare: page => page.getByText('“units.write” is not a scope.').waitFor(),
  },
  { name: 'regenerate a key', path: '/keys', prepare: opensOfKey('Regenerate', /^Regenerate “/) },
  { name: 'revoke a key', path: '/keys', prepare: opensOfKey('Revoke', /^Revoke “/) },
  { name: 'revoke all', path: '/keys', prepare: opens('Revoke all', /^Revoke all keys/) },
  {
    name: 'request a higher limit',
    path: '/keys',
    prepare: opensOfKey('Request higher limit', /^Request a higher limit/),
  },
  { name: 'usage', path: '/usage' },
  { name: 'usage as a table', path: '/usage', prepare: press('Show as table') },
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
      await press('Regenerate secret')(page)
      await button(dialog(page, 'Regenerate secret?'), 'Regenerate').click()
      await button(page, 'Copy secret').waitFor()
    }),
  },
  {
    name: 'replay a time range',
    path: '/webhooks',
    prepare: atEndpoint(opens('Replay time range', 'Replay time range')),
  },
  {
    name: 'remove a webhook',
    path: '/webhooks',
    prepare: atEndpoint(opens('Remove', 'Remove this endpoint?')),
  },
  { name: 'explore', path: '/explore' },
  {
    name: 'a history as a table',
    path: '/explore',
    prepare: async page => {
      await page.getByText('Rank', { exact: true }).first().click()
      await press('Show as table')(page)
    },
  },
  { name: 'market', path: '/market', prepare: page => page.getByRole('img').first().waitFor() },
  {
    name: 'search in explore',
    path: '/explore?kind=alliance&id=a1',
    prepare: async page => {
      await page.getByLabel('Search').fill('kars')
      await page.getByRole('list', { name: 'Search results' }).getByRole('button').first().waitFor()
    },
  },
  { name: 'playground', path: '/try' },
  { name: 'a response', path: '/try', prepare: sendRequest },
  { name: 'account log', path: '/log' },
  { name: 'sign out everywhere', path: '/log', prepare: opens('Sign out everywhere', /everywhere\?$/) },
  { name: 'page not found', path: '/nothing-of-this-name' },
]
