/** One request, and what came of it. */
export interface Asked {
  kind: Kind
  /** By `performance.now`. */
  startedAt: number
  tookMs: number
  /** 0 where the connection broke. */
  status: number
  retryAfter: string | null
  body: string
}

export type Kind = 'hot read' | 'read' | 'search' | 'keyed read' | 'batch' | 'code' | 'redemption'

/** Asks, and notes how long it took until the whole answer was there. */
export async function ask(kind: Kind, url: string, init: RequestInit = {}): Promise<Asked> {
  const startedAt = performance.now()
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) })
    .then(async response => ({
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: await response.text(),
    }))
    .catch(error => ({ status: 0, retryAfter: null, body: String(error.cause ?? error) }))
  return { kind, startedAt, tookMs: performance.now() - startedAt, ...answer }
}

export const isUp = ({ status }: Asked): boolean => status > 0 && status < 500
