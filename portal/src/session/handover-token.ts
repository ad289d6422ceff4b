const prefix = '#handover='

/** Takes the token of a hand-over link out of the address, so that it stays neither in sight nor in the history. */
export function takeHandoverToken(): string | null {
  if (!location.hash.startsWith(prefix)) return null
  const token = location.hash.slice(prefix.length)
  history.replaceState(history.state, '', location.pathname + location.search)
  return token || null
}
