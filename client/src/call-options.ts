/** Options of every request. */
export interface CallOptions {
  /** Aborts the request, which rejects with the signal’s reason. */
  signal?: AbortSignal | undefined
  /** Timeout of one attempt in milliseconds, until the last byte. Default: that of the client. */
  timeoutMs?: number | undefined
}

/** A page of a list. */
export interface Page<T> {
  data: T[]
  pagination: {
    /** Current page, from 1. */
    page: number
    /** Page size in effect. */
    limit: number
    /** Number of items over all pages; exact. */
    total: number
    /** Number of pages; 0 when there are no items. */
    pages: number
  }
}
