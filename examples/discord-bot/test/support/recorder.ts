/** A fetch that writes down what it is asked for: the path below the base, with its query. */
export function recorder(): { fetch: typeof globalThis.fetch; asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    fetch(input, init) {
      asked.push(decodeURIComponent(String(input)).replace(/^.*\/api\/public\/v1/, ''))
      return fetch(input, init)
    },
  }
}
