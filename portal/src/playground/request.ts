import { queryString } from '../api/request.ts'
import type { Operation } from './operations.ts'

export type Values = Record<string, string>

export interface ApiResponse {
  status: number
  statusText: string
  durationMs: number
  headers: Headers
  body: string
}

/** The operation's path with its parameters filled in; those that are empty are left out of the query. */
export function buildTarget({ path, parameters }: Operation, values: Values): string {
  const textOf = (name: string) => values[name]?.trim() ?? ''
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    // The one character that would end the quotes around it in a shell.
    encodeURIComponent(textOf(name)).replaceAll("'", '%27'),
  )
  const asked = parameters.filter(parameter => parameter.in === 'query')
  // Commas stand between the items of a list, and are easier to read as they are.
  const query = queryString(Object.fromEntries(asked.map(({ name }) => [name, textOf(name)])))
  return filled + query.replaceAll('%2C', ',')
}

/** The same call for a shell, in which the key is a variable. */
export const curlCommand = (apiUrl: string, target: string, hasKey: boolean) =>
  `curl ${hasKey ? '-H "Authorization: Bearer $KEY" ' : ''}'${apiUrl}${target}'`

/** Calls the API as a stranger's program would: with the key or without, and with nothing that the browser has. */
export async function sendRequest(
  apiUrl: string,
  target: string,
  key: string | null,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const startedAt = performance.now()
  // On this origin, wherever callers reach the API: the page may call no other.
  const res = await fetch(`${new URL(apiUrl).pathname.replace(/\/$/, '')}${target}`, {
    headers: { accept: 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    credentials: 'omit',
    cache: 'no-store',
    signal,
  })
  const text = await res.text()
  return {
    status: res.status,
    statusText: res.statusText,
    durationMs: Math.round(performance.now() - startedAt),
    headers: res.headers,
    body: prettyPrint(text),
  }
}

/** A proxy in between may answer with something that is not JSON. */
function prettyPrint(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
