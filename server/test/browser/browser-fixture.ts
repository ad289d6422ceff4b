import assert from 'node:assert/strict'
import { afterEach } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { createPool } from '../../src/store/database.ts'
import { freePort } from '../../src/store/embedded/socket.ts'
import { handover, type SignInTarget, startAccounts } from '../account/browser.ts'
import { addHistory, hoursAgo, smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import type { TestServer } from '../support/test-server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { launchChromium } from './chromium.ts'
import { newVisitor, type Visitor } from './visitor.ts'

export interface VisitorOptions extends BrowserContextOptions {
  /** A nation whose player is signed in by the API. */
  as?: string
  /** A path of the settings to open. */
  path?: string
  /** The visitor may have problems; otherwise they fail the test. */
  mayHaveProblems?: boolean
}

/** Shared by the tests of a suite: a server with the small world, a webhook receiver, and a browser. */
export interface BrowserFixture {
  chancery: TestServer
  receiver: WebhookReceiver
  /** Opens a new browser context, which is closed with the browser. */
  visitor(options?: VisitorOptions): Promise<Visitor>
}

export const phone = { viewport: { width: 360, height: 740 } }

/** Starts the fixture of the suite that calls it, and closes it after its tests. */
export async function setUpBrowser(
  options: Parameters<typeof startAccounts>[2] = {},
  basePath = '',
): Promise<BrowserFixture> {
  const port = String(await freePort())
  const env = {
    CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true',
    CHANCERY_KEY_LIMIT: '1000',
    ...(basePath !== '' && {
      CHANCERY_PORT: port,
      CHANCERY_PUBLIC_URL: `http://127.0.0.1:${port}${basePath}`,
    }),
  }
  const chancery = closeAfter(await startAccounts(smallWorld(), env, options))
  const pool = closeAfter(
    createPool({
      target: { connectionString: chancery.databaseUrl },
      role: 'chancery_ingest',
      connectionsMax: 1,
    }),
  )
  const days = [3, 2, 1].map(past => hoursAgo(24 * past).slice(0, 10))
  await addHistory(chancery, pool, days)
  const receiver = closeAfter(await startWebhookReceiver())
  const browser = closeAfter(await launchChromium())
  const visited = { url: chancery.url, handover: (target: SignInTarget) => handover(chancery, target) }
  const visitors: Visitor[] = []
  afterEach(() => {
    for (const { problems } of visitors) assert.deepEqual(problems, [])
  })
  return {
    chancery,
    receiver,
    async visitor({ as: nation_id, path, mayHaveProblems = false, ...context } = {}) {
      const visitor = await newVisitor(browser, visited, context)
      if (!mayHaveProblems) visitors.push(visitor)
      if (nation_id !== undefined) await visitor.signInByApi({ nation_id })
      if (path !== undefined) await visitor.open(path)
      return visitor
    },
  }
}
