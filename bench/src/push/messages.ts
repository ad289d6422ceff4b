/** Endpoints below it answer slowly, and are not measured. */
export const slowPath = '/slow/'

/** A signed message as it was received. */
export interface Post {
  headers: Record<string, string>
  body: string
}

/** `look` leaves the counts as they are, `take` begins them anew. */
export type ReceiverRequest = 'look' | 'take'

export interface ReceiverReport {
  count: number
  /** Times in milliseconds since the epoch, with fractions. */
  firstMs: number
  lastMs: number
  arrivals: [seq: number, endpoint: string, atMs: number][]
  kept: Post[]
}

export interface BareLoopOrder {
  url: string
  posts: Post[]
  count: number
  concurrency: number
}

export interface BareLoopResult {
  perSecond: number
}
