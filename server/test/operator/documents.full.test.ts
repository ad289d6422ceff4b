import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { launchChromium, skip } from '../browser/chromium.ts'
import { closeAfter } from '../support/close-after.ts'
import { startTestServer } from '../support/test-server.ts'
import { makeToken } from './tokens.ts'

const chancery = closeAfter(await startTestServer())

describe('the reference page of the operator API', { skip }, () => {
  test('loads from its own origin alone, and calls the listener with a token', async () => {
    const { token } = await makeToken(chancery, ['metrics'])
    const browser = await launchChromium()
    try {
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
      const urls: string[] = []
      const complaints: string[] = []
      page.on('request', request => urls.push(request.url()))
      page.on('console', message => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      page.on('pageerror', error => complaints.push(error.message))
      await page.goto(`${chancery.operatorUrl}/docs`)
      await page.getByRole('heading', { name: 'operator API' }).waitFor()
      await page.getByLabel('Operator token').fill(token)
      const operation = page.locator('section.operation', { has: page.locator('[id="status.get"]') })
      await operation.getByText('Try it', { exact: true }).click()
      await operation.getByRole('button', { name: 'Send request' }).click()
      await operation.locator('form').getByText('ranking_lag_versions').waitFor()
      await page.waitForLoadState('networkidle')
      assert.ok(urls.includes(`${chancery.operatorUrl}/status`), urls.join('\n'))
      assert.deepEqual(
        urls.filter(url => !url.startsWith(`${chancery.operatorUrl}/`) && !url.startsWith('data:')),
        [],
      )
      assert.deepEqual(complaints, [])
    } finally {
      await browser.close()
    }
  })
})
