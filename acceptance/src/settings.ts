import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asRecord } from './json.ts'

/** The server that is examined, and the doors to it that the examiner has. */
export interface Settings {
  /** Base URL of the public listener, without a slash at the end. */
  baseUrl: string
  /** An API key, for a server whose operator door is closed to us. */
  key: string | undefined
  operator: { url: string; token: string } | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads CHANCERY_ACCEPTANCE_URL, and CHANCERY_ACCEPTANCE_KEY, CHANCERY_ACCEPTANCE_OPERATOR_URL and
 * CHANCERY_ACCEPTANCE_OPERATOR_TOKEN where they are set.
 * Without an operator URL the door is looked for in CHANCERY_DATA_DIR, else in .chancery, if that is of this server.
 */
export function readSettings(env: Environment): Settings {
  const url = env.CHANCERY_ACCEPTANCE_URL
  if (!url) throw new Error('say which server: npm run acceptance -- --base-url http://127.0.0.1:8080')
  const baseUrl = withoutSlash(url)
  const operatorUrl = env.CHANCERY_ACCEPTANCE_OPERATOR_URL
  const token = env.CHANCERY_ACCEPTANCE_OPERATOR_TOKEN || env.CHANCERY_OPERATOR_TOKEN
  return {
    baseUrl,
    key: env.CHANCERY_ACCEPTANCE_KEY || undefined,
    operator:
      operatorUrl && token
        ? { url: withoutSlash(operatorUrl), token }
        : env.CHANCERY_DATA_DIR
          ? operatorIn(env.CHANCERY_DATA_DIR, token)
          : operatorIn('.chancery', token, baseUrl),
  }
}

/** The operator door of the server that runs on a data directory; undefined where none does, or another than `baseUrl`. */
function operatorIn(dataDir: string, knownToken: string | undefined, baseUrl?: string): Settings['operator'] {
  const addresses = readText(join(dataDir, 'addresses.json'))
  if (addresses === undefined) return undefined
  const { public: publicUrl, operator } = asRecord(JSON.parse(addresses))
  if (baseUrl !== undefined && byNumber(String(publicUrl)) !== byNumber(baseUrl)) return undefined
  const token = knownToken ?? readText(join(dataDir, 'operator-token'))
  return typeof operator === 'string' && token !== undefined ? { url: operator, token } : undefined
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
