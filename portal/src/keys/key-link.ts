import type { PageInfo, Scope } from '@chancery/contract'

/**
 * Links by which a tool requests a key: `/developers/keys/new?name=…&scopes=…&expires=…`. A link fills in the form and creates nothing.
 * Every part of it is untrusted text.
 */
export const keyLinkPath = '/keys/new'

/** The values of `expires`, which the form offers too: numbers of days, or never. */
export const expirations = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'No expiration' },
]

const days = expirations.map(({ value }) => value).filter(value => value !== 'never')

export interface KeyLink {
  /** Empty if the link has no valid name. */
  name: string
  /** The valid scopes of the link; null if it has none, so that the default applies. */
  scopes: Scope[] | null
  /** A value of `expirations`; null for the default. */
  expiration: string | null
  /** What is wrong with the link as a whole, or with one of its parameters, as sentences. */
  problems: { [Part in 'link' | LinkParameter]?: string | undefined }
}

const linkParameters = ['name', 'scopes', 'expires'] as const
type LinkParameter = (typeof linkParameters)[number]

/** As long as all scopes and the longest name, percent-encoded, with room to spare. */
const linkLengthMax = 2_000
export const keyNameLengthMax = 100
const unknownScopesShown = 3
const shownLength = 40

/** Reads the query of a link; null without any of its parameters. */
export function parseKeyLink(search: string, knownScopes: PageInfo['scopes']): KeyLink | null {
  const problems: KeyLink['problems'] = {}
  const link: KeyLink = { name: '', scopes: null, expiration: null, problems }
  if (search.length > linkLengthMax) {
    problems.link = `The link is longer than ${linkLengthMax} characters.`
    return link
  }
  const parameters = new URLSearchParams(search)
  const read = (name: LinkParameter) => {
    const [value, ...more] = parameters.getAll(name)
    if (more.length > 0) problems[name] = `The link has the parameter ${name} several times.`
    return more.length > 0 ? undefined : value
  }
  if (!linkParameters.some(name => parameters.has(name))) return null

  const name = read('name')?.trim()
  const nameProblem = name === undefined ? undefined : problemOfName(name)
  if (nameProblem) problems.name = nameProblem
  else link.name = name ?? ''

  const scopes = read('scopes')
  if (scopes !== undefined) {
    const wanted = new Set(scopes.split(',').map(scope => scope.trim()))
    link.scopes = knownScopes.map(({ name }) => name).filter(name => wanted.delete(name))
    if (wanted.size > 0) problems.scopes = problemOfScopes([...wanted], knownScopes)
  }

  const expires = read('expires')
  if (expires === undefined || expirations.some(({ value }) => value === expires))
    link.expiration = expires ?? null
  else
    problems.expires = `In the link, “${shorten(expires)}” is not a valid expiration. It must be a number of days (${days.join(', ')}) or never.`
  return link
}

/** Control characters, line breaks, text direction controls, and what cannot be decoded. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\uFFFD]/u

function problemOfName(name: string): string | undefined {
  if (name === '') return 'The name in the link is empty.'
  if (name.length > keyNameLengthMax)
    return `The name in the link is longer than ${keyNameLengthMax} characters.`
  if (hidden.test(name)) return 'The name in the link contains characters that cannot be displayed.'
  return undefined
}

function problemOfScopes(unknown: string[], known: PageInfo['scopes']): string {
  const shown = unknown.slice(0, unknownScopesShown).map(scope => `“${shorten(scope)}”`)
  const more = unknown.length - shown.length
  const listed = more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
  const names = known.map(({ name }) => name).join(', ')
  return unknown.length === 1
    ? `In the link, ${listed} is not a scope. Scopes are ${names}, separated by commas.`
    : `In the link, ${listed} are not scopes. Scopes are ${names}, separated by commas.`
}

/** Bounded, and without characters that change the text around it. */
function shorten(text: string): string {
  const visible = text.replaceAll(new RegExp(hidden, 'gu'), '\uFFFD')
  return visible.length > shownLength ? `${visible.slice(0, shownLength)}…` : visible
}

const secondPerson: [pattern: RegExp, replacement: string][] = [
  [/^Read /, ''],
  [/\.$/, ''],
  [/\bmy own\b/g, 'your'],
  [/\bmy\b/g, 'your'],
  [/\bmine\b/g, 'yours'],
  [/\bI\b/g, 'you'],
]

/** What a scope lets a tool read, from the scope's description: "your units, reserves, readiness and strategic stockpiles". */
export const readableData = (description: string): string =>
  secondPerson.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), description)

/** An attribute's key as words: `war_weariness` is "war weariness". */
export const attributeLabel = (key: string): string => key.replaceAll('_', ' ')

/** A player may have to sign in by way of the game, which opens the settings at another path or in another tab. */
export const pendingMinutes = 30
const storageKey = 'chancery-key-link'

/** The browser's storage. It may be disabled: then every access throws. */
type KeyStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Keeps the query of a link until the player has signed in. */
export function savePendingKeyLink(storage: () => KeyStorage, search: string, nowMs: number): boolean {
  if (search.length > linkLengthMax) return false
  try {
    storage().setItem(storageKey, JSON.stringify({ search, savedAt: nowMs }))
    return true
  } catch {
    return false
  }
}

/** Removes the pending link. Returns its path on the settings page with its query, never another path; null without a recent one. */
export function takePendingKeyLink(storage: () => KeyStorage, nowMs: number): string | null {
  try {
    const saved: unknown = JSON.parse(storage().getItem(storageKey) ?? 'null')
    storage().removeItem(storageKey)
    if (typeof saved !== 'object' || saved === null || !('search' in saved) || !('savedAt' in saved))
      return null
    const ageMs = nowMs - Number(saved.savedAt)
    const isRecent = ageMs >= 0 && ageMs < pendingMinutes * 60_000
    return isRecent ? `${keyLinkPath}?${new URLSearchParams(String(saved.search))}` : null
  } catch {
    return null
  }
}
