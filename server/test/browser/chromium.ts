import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'
const isRequired = process.env.CHANCERY_REQUIRE_BROWSER === '1'

/** For `describe`: why nothing is tried in a browser here. Where there has to be one, the tests fail without it. */
export const skip = isRequired || existsSync(executablePath) ? false : `there is no ${executablePath}`

/** The system's browser, without a window, asking nothing of anybody by itself. */
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
