import { after, before } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { handover, startAccounts, type Whom } from '../account/browser.ts'
import { smallWorld } from '../http/world.ts'
import type { TestServer } from '../support/test-server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { launchChromium } from './chromium.ts'
import { newVisitor, type Visitor } from './visitor.ts'

/** Shared by the tests of a file: a server with the small world, a webhook receiver, and a browser. */
export interface BrowserFixture {
  chancery: TestServer
  receiver: WebhookReceiver
  /** Opens a new browser context, which is closed after the file. */
  visitor(options?: BrowserContextOptions): Promise<Visitor>
}

/** Starts the fixture before the tests of the suite that calls it, and closes it after them. */
export function setUpBrowser(defaults: Parameters<typeof startAccounts>[2] = {}): () => BrowserFixture {
  let fixture: BrowserFixture | undefined
  const closing: (() => Promise<void>)[] = []

  before(async () => {
    const env = { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true', CHANCERY_KEY_LIMIT: '1000' }
    const chancery = await startAccounts(smallWorld(), env, defaults)
    closing.unshift(() => chancery.close())
    const receiver = await startWebhookReceiver()
    closing.unshift(() => receiver.close())
    const browser = await launchChromium()
    closing.unshift(() => browser.close())
    const visited = { url: chancery.url, handover: (whom: Whom) => handover(chancery, whom) }
    fixture = { chancery, receiver, visitor: options => newVisitor(browser, visited, options) }
  })
  after(async () => {
    for (const close of closing) await close()
  })
  return () => {
    if (!fixture) throw new Error('the fixture is not started yet')
    return fixture
  }
}
