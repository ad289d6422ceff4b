import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'
const isRequired = process.env.CHANCERY_REQUIRE_BROWSER === '1'

/** For `describe`: skips the tests where there is no browser, unless CHANCERY_REQUIRE_BROWSER is 1. */
export const skip = isRequired || existsSync(executablePath) ? false : `there is no ${executablePath}`

/** The system's browser, headless and without background requests. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
