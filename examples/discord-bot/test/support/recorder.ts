/** A fetch that records the path of each request below the base, with its query. */
export function recorder(): { fetch: typeof globalThis.fetch; requested: string[] } {
  const requested: string[] = []
  return {
    requested,
    fetch(input, init) {
      requested.push(decodeURIComponent(String(input)).replace(/^.*\/api\/public\/v1/, ''))
      return fetch(input, init)
    },
  }
}
