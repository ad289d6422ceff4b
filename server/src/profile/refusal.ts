import type { ProfileChange, ProfilePart } from '@chancery/contract'
import type { Use } from './stored-uses.ts'

/** One line: what would change, how much that is stored stands against it, and what to do. */
export function rejectionOf(change: ProfileChange, uses: Use[]): string {
  return `${change.path}: ${uses.map(countText).join(', ')} ${verb(uses)} ${objectOf(change)}, and ${consequence(change)}. ${remedy(change)}`
}

const countText = ({ count, nouns: [one, many] }: Use) => `${count} ${count === 1 ? one : many}`

const verb = ([first, ...further]: Use[]) => (first?.count === 1 && further.length === 0 ? 'uses' : 'use')

const objectOf = ({ kind, part }: ProfileChange) => {
  if (kind === 'closed') return 'words that are not in the list'
  return part.startsWith('attributes.') ? 'it' : 'the word'
}

function consequence({ kind, what, part, renamedTo }: ProfileChange): string {
  const change = what ? `${what.name} would go from ${what.from} to ${what.to}` : ''
  switch (kind) {
    case 'loosened':
      return `${change}: what was stored under the old promise would become readable`
    case 'rescoped':
      return `${change}: what was stored under the old promise would open to other keys`
    case 'retyped':
      return `${change}: what is stored would no longer be a value of it`
    case 'closed':
      return 'a list that is empty takes any word, and would take its own alone'
    default:
      return `it is no longer in the profile${renamedTo ? ` (is it ${part === 'event_kinds' ? renamedTo : `"${renamedTo}"`} now?)` : ''}`
  }
}

const clearing: Partial<Record<ProfilePart, string>> = {
  currency: 'let the game delete its market prices first',
  units: 'let the game send counts of 0 for it first (what the log has told, it keeps)',
  resources: 'let the game send counts of 0 for it and delete its market price first',
  'attributes.nation': 'let the game set it to null wherever it has a value first',
  'attributes.alliance': 'let the game set it to null wherever it has a value first',
  event_kinds: '',
}

/** What the operator can do: never less than one way that always works. */
function remedy({ kind, part, key, renamedTo }: ProfileChange): string {
  const cleared = clearing[part] ?? 'let the game give these things another word first'
  const orCleared = cleared === '' ? '' : `, or ${cleared}`
  switch (kind) {
    case 'removed':
      return `Keep the key ${key}${renamedTo ? ' and change its label' : ''}${orCleared}.`
    case 'closed':
      return `Add these words to the list${orCleared}.`
    case 'retyped':
    case 'loosened':
    case 'rescoped':
      return `Leave it as it was and add a new one under another key${orCleared}.`
    default:
      return 'Leave it as it was.'
  }
}
