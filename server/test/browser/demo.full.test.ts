import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { makeServeDir, processEnv, removeServeDir } from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import { launchChromium, skip } from './chromium.ts'
import { button, newVisitor } from './visitor.ts'

const program = fileURLToPath(new URL('../../../cli/start/main.js', import.meta.url))

interface Addresses {
  public: string
}

interface Nation {
  nation_name: string
  leader_name: string
}

describe('the demo in a browser', { skip }, () => {
  let browser: Browser
  const dir = makeServeDir()
  before(async () => {
    browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    await removeServeDir(dir)
  })

  /** Runs a command on the shared data directory until the end of the test; returns its URL once it serves. */
  async function run(t: TestContext, words: string[], env: Record<string, string> = {}): Promise<string> {
    const child = spawn(process.execPath, [program, ...words, '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...processEnv,
        // The tests poll.
        CHANCERY_ANONYMOUS_LIMIT: '1000000',
        CHANCERY_DATA_DIR: join(dir, 'data'),
        CHANCERY_PORT: '0',
        CHANCERY_OPERATOR_PORT: '0',
        CHANCERY_LOG_LEVEL: 'error',
        ...env,
      },
    })
    const exited = once(child, 'exit')
    t.after(async () => {
      child.kill('SIGTERM')
      await exited
    })
    const errors = text(child.stderr)
    let output = ''
    for await (const part of child.stdout) {
      output += part
      if (output.trimEnd().endsWith('}')) break
    }
    assert.notEqual(output, '', output === '' ? await errors : '')
    const addresses = JSON.parse(await readFile(join(dir, 'data', 'addresses.json'), 'utf8')) as Addresses
    const { port } = new URL(addresses.public)
    return `http://127.0.0.1:${port}`
  }

  const visitorOf = (url: string) =>
    newVisitor(browser, { url, handover: () => assert.fail('no test uses a handover link') })

  const players = (page: Page) => page.getByRole('list', { name: 'Demo players' }).getByRole('button')

  test('a visitor finds a player by name and signs in without a password', async t => {
    const url = await run(t, ['demo', '--nations', '50', '--tick-seconds', '0'])
    // A new nation is ranked in the next ranking round.
    let data: Nation[] = []
    await until(async () => {
      const response = await fetch(`${url}/api/v1/nations?limit=50`)
      const body = (await response.json()) as { data?: Nation[] }
      data = body.data ?? []
      return data.length === 50
    }, 'every nation is ranked')
    const wanted = data[20]
    assert.ok(wanted)
    const visitor = await visitorOf(url)
    const { page } = visitor
    await visitor.open('/')
    await players(page).first().waitFor()
    assert.ok((await players(page).count()) > 10)
    await page.getByLabel('Search players').fill('no such player')
    await page.getByText('No players found.').waitFor()
    await page.getByLabel('Search players').fill(wanted.leader_name.toUpperCase())
    await players(page).filter({ hasText: wanted.nation_name }).click()
    await page.getByRole('heading', { level: 1, name: 'Verify' }).waitFor()
    await page.getByRole('banner').getByText(wanted.nation_name, { exact: true }).waitFor()
    await button(page, 'Sign out').click()
    await players(page).first().waitFor()
    assert.deepEqual(visitor.problems, [])
    assert.deepEqual(visitor.rejections, [])
  })

  const others: [string, string[], Record<string, string>][] = [
    ['a demo that listens on all addresses', ['demo', '--tick-seconds', '0'], { CHANCERY_HOST: '0.0.0.0' }],
    ['a service', ['serve'], { CHANCERY_HOST: '127.0.0.1' }],
  ]
  for (const [what, words, env] of others) {
    test(`${what} lists no players`, async t => {
      const url = await run(t, words, env)
      const visitor = await visitorOf(url)
      await visitor.open('/')
      await visitor.page.getByRole('heading', { name: 'Sign in from the game' }).waitFor()
      assert.equal(await visitor.page.getByText('Sign in as a demo player').count(), 0)
      assert.equal((await fetch(`${url}/developers/api/demo/players`)).status, 404)
      const first = await fetch(`${url}/developers/api/demo/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: '{"player_id":"p1"}',
      })
      assert.equal(first.status, 404)
      assert.deepEqual(visitor.problems, [])
    })
  }
})
