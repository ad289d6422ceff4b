import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asRecord, type JsonObject } from './json.ts'

/** The server under test, and the credentials for it. */
export interface Settings {
  /** Base URL of the public listener, without a slash at the end. */
  baseUrl: string
  /** An API key, for a server without access to the operator API. */
  key: string | undefined
  operator: { url: string; token: string } | undefined
  /** Whether a simulated world is still being made, as far as we can see. */
  isWorldUnfinished(): boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads CHANCERY_ACCEPTANCE_URL, and CHANCERY_ACCEPTANCE_KEY, CHANCERY_ACCEPTANCE_OPERATOR_URL and
 * CHANCERY_ACCEPTANCE_OPERATOR_TOKEN where they are set.
 * Without an operator URL the operator API is read from CHANCERY_DATA_DIR, else from .chancery if it belongs to this server.
 */
export function readSettings(env: Environment): Settings {
  const url = env.CHANCERY_ACCEPTANCE_URL
  if (!url) throw new Error('--base-url is required: npm run acceptance -- --base-url http://127.0.0.1:8080')
  const baseUrl = withoutSlash(url)
  const operatorUrl = env.CHANCERY_ACCEPTANCE_OPERATOR_URL
  const token =
    env.CHANCERY_ACCEPTANCE_OPERATOR_TOKEN || env.CHANCERY_OPERATOR_TOKEN || env.CHANCERY_ADMIN_TOKEN
  const dataDir = env.CHANCERY_DATA_DIR || (isOf('.chancery', baseUrl) ? '.chancery' : undefined)
  return {
    baseUrl,
    key: env.CHANCERY_ACCEPTANCE_KEY || undefined,
    operator:
      operatorUrl && token
        ? { url: withoutSlash(operatorUrl), token }
        : dataDir === undefined
          ? undefined
          : operatorIn(dataDir, token),
    isWorldUnfinished: () =>
      dataDir !== undefined && readJson(join(dataDir, 'demo-world.json'))?.complete === false,
  }
}

const isOf = (dataDir: string, baseUrl: string) =>
  byNumber(String(readJson(join(dataDir, 'addresses.json'))?.public)) === byNumber(baseUrl)

function operatorIn(dataDir: string, knownToken: string | undefined): Settings['operator'] {
  const url = readJson(join(dataDir, 'addresses.json'))?.operator
  const token = knownToken ?? readText(join(dataDir, 'operator-token'))
  return typeof url === 'string' && token !== undefined ? { url, token } : undefined
}

function readJson(path: string): JsonObject | undefined {
  const text = readText(path)
  return text === undefined ? undefined : asRecord(JSON.parse(text))
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '')
const byNumber = (url: string) => url.replace('//localhost', '//127.0.0.1')
