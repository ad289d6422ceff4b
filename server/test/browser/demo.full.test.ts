import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { processEnv } from '../support/process-env.ts'
import { makeServeDir, removeServeDir } from '../support/serve-process.ts'
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

  /** Runs a command on the one world until the test is over; returns where it answers, when it does. */
  async function run(t: TestContext, words: string[], env: Record<string, string> = {}): Promise<string> {
    const child = spawn(process.execPath, [program, ...words, '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...processEnv,
        // Who asks until something has come asks often.
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
    const said = text(child.stderr)
    let output = ''
    for await (const part of child.stdout) {
      output += part
      if (output.trimEnd().endsWith('}')) break
    }
    assert.notEqual(output, '', output === '' ? await said : '')
    const addresses = JSON.parse(await readFile(join(dir, 'data', 'addresses.json'), 'utf8')) as Addresses
    const { port } = new URL(addresses.public)
    return `http://127.0.0.1:${port}`
  }

  const visitorOf = (url: string) =>
    newVisitor(browser, { url, handover: () => assert.fail('nobody comes from the game') })

  const players = (page: Page) => page.getByRole('list', { name: 'Players of the demo' }).getByRole('button')

  test('whoever tries it finds a player by name, and is signed in as them without a password', async t => {
    const url = await run(t, ['demo', '--nations', '50', '--tick-seconds', '0'])
    // Whoever is new has a place from the next ranking round on.
    let data: Nation[] = []
    await until(async () => {
      const response = await fetch(`${url}/api/v1/nations?limit=50`)
      const body = (await response.json()) as { data?: Nation[] }
      data = body.data ?? []
      return data.length === 50
    }, 'every nation has a place')
    const wanted = data[20]
    assert.ok(wanted)
    const visitor = await visitorOf(url)
    const { page } = visitor
    await visitor.open('/')
    await players(page).first().waitFor()
    assert.ok((await players(page).count()) > 10)
    await page.getByLabel('Search players').fill('nobody is called this')
    await page.getByText('No player is called that.').waitFor()
    await page.getByLabel('Search players').fill(wanted.leader_name.toUpperCase())
    await players(page).filter({ hasText: wanted.nation_name }).click()
    await page.getByRole('heading', { level: 1, name: 'Verify' }).waitFor()
    await page.getByRole('banner').getByText(wanted.nation_name, { exact: true }).waitFor()
    await button(page, 'Sign out').click()
    await players(page).first().waitFor()
    assert.deepEqual(visitor.complaints, [])
    assert.deepEqual([...new Set(visitor.refusals)], ['401 GET /session'])
  })

  const others: [string, string[], Record<string, string>][] = [
    ['a demo that other machines reach', ['demo', '--tick-seconds', '0'], { CHANCERY_HOST: '0.0.0.0' }],
    ['a service', ['serve'], { CHANCERY_HOST: '127.0.0.1' }],
  ]
  for (const [what, words, env] of others) {
    test(`${what} lists nobody`, async t => {
      const url = await run(t, words, env)
      const visitor = await visitorOf(url)
      await visitor.open('/')
      await visitor.page.getByRole('heading', { name: 'Open it from the game' }).waitFor()
      assert.equal(await visitor.page.getByText('Sign in as a player of the demo').count(), 0)
      assert.equal((await fetch(`${url}/developers/api/demo/players`)).status, 404)
      const first = await fetch(`${url}/developers/api/demo/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: '{"player_id":"p1"}',
      })
      assert.equal(first.status, 404)
      assert.deepEqual(visitor.complaints, [])
    })
  }
})
