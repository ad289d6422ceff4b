import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { loaded } from './visitor.ts'

/** The maximum compressed size of the scripts and style sheets of the first page. */
const bytesMax = 250_000

describe('the first page of the developer settings', { skip }, async () => {
  const fixture = await setUpBrowser()
  const { visitor } = fixture

  const firstPages: [string, boolean, string][] = [
    ['of a signed-in player', true, 'Create code'],
    ['of a signed-out visitor', false, 'Sign in from the game'],
  ]
  for (const [whose, isSignedIn, words] of firstPages) {
    test(`${whose} loads less than 250 kB of scripts and styles`, async t => {
      const { page, signInByApi } = await visitor()
      if (isSignedIn) await signInByApi({ nation_id: 'n1' })
      const fetched: Promise<{ path: string; coding: string | undefined; bytes: number }>[] = []
      page.on('requestfinished', req => {
        if (!['script', 'stylesheet'].includes(req.resourceType())) return
        const weigh = async () => ({
          path: new URL(req.url()).pathname,
          coding: (await (await req.response())?.allHeaders())?.['content-encoding'],
          bytes: (await req.sizes()).responseBodySize,
        })
        fetched.push(weigh())
      })
      const since = performance.now()
      await page.goto('/developers/')
      await page.getByText(words).first().waitFor()
      const ms = Math.round(performance.now() - since)
      await loaded(page)
      await page.waitForLoadState('networkidle')

      const files = await Promise.all(fetched)
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      t.diagnostic(
        `${whose}: ${(bytes / 1000).toFixed(1)} kB in ${files.length} files, rendered after ${ms} ms`,
      )
      assert.ok(files.length >= 2, 'a script and a style')
      for (const { path, coding, bytes } of files) {
        assert.match(coding ?? '', /^(br|gzip)$/, path)
        assert.ok(bytes > 100, `${path} has ${bytes} bytes: it came from the cache`)
      }
      assert.ok(bytes < bytesMax, `${bytes} bytes`)
    })
  }
})
