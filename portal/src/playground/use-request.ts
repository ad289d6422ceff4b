import { useEffect, useRef, useState } from 'react'
import { ApiError, unreachableError } from '../api/api-error.ts'
import { queryString } from '../api/request.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import type { Operation } from './operations.ts'
import type { PlaygroundKey } from './use-playground-key.ts'

export type Values = Record<string, string>

export interface ApiResponse {
  status: number
  statusText: string
  durationMs: number
  headers: Headers
  body: string
}

type RequestResult = { target: string; hasKey: boolean; response: ApiResponse } | { error: Error }

/** The key of a request, and where its status is reported. */
type KeySource = Pick<PlaygroundKey, 'resolve' | 'onResponse'>

/** Sends a request and keeps the last result. Not a query: the query cache would keep the key. */
export function useApiRequest() {
  const { api_url } = usePageInfo()
  const announce = useAnnounce()
  const [isPending, setPending] = useState(false)
  const [result, setResult] = useState<RequestResult | null>(null)
  const running = useRef<AbortController | null>(null)

  useEffect(() => () => running.current?.abort(), [])

  const send = async (target: string, { resolve, onResponse }: KeySource) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setPending(true)
    setResult(null)
    const next = await resolve()
      .then(async key => ({
        target,
        hasKey: key !== null,
        response: await sendRequest(api_url, target, key, controller.signal),
      }))
      .catch((error: unknown) => ({ error: error instanceof ApiError ? error : unreachableError() }))
    if (controller.signal.aborted) return
    setPending(false)
    setResult(next)
    if (!('response' in next)) return
    onResponse(next.response.status)
    announce(`Response: status ${next.response.status} in ${next.response.durationMs} milliseconds.`)
  }
  return { send, isPending, result }
}

/** Sends the request without the browser's cookies, with the key if there is one. */
async function sendRequest(
  apiUrl: string,
  target: string,
  key: string | null,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const startedAt = performance.now()
  // On this origin, whatever the public URL of the API: the content security policy allows no other.
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

/** The body of a proxy's response may not be JSON. */
function prettyPrint(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** The operation's path with its parameters; empty ones are left out of the query. */
export function buildTarget({ path, parameters }: Operation, values: Values): string {
  const textOf = (name: string) => values[name]?.trim() ?? ''
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    // encodeURIComponent keeps the apostrophe, which would end the quotes of the curl command.
    encodeURIComponent(textOf(name)).replaceAll("'", '%27'),
  )
  const inQuery = parameters.filter(parameter => parameter.in === 'query')
  // Commas separate the items of a list, and need no escape.
  const query = queryString(Object.fromEntries(inQuery.map(({ name }) => [name, textOf(name)])))
  return filled + query.replaceAll('%2C', ',')
}

/** The same request as a shell command, with the key as a variable. */
export const curlCommand = (apiUrl: string, target: string, hasKey: boolean) =>
  `curl ${hasKey ? '-H "Authorization: Bearer $KEY" ' : ''}'${apiUrl}${target}'`
