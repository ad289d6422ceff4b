import { Compile } from 'typebox/compile'
import { pascalCase } from './openapi/document.ts'
import { type Profile, valueSchema } from './profile.ts'

/** What is wrong with a profile beyond its schema, as sentences that begin with the place. */
export const profileProblems = (profile: Profile): string[] => [
  ...textProblems('', profile),
  ...attributeProblems(profile),
  ...doubledWords(profile),
  ...profile.units
    .filter(unit => unit.is_strategic && unit.shows_in_losses)
    .map(({ key }) => `units: ${key} is strategic, and what is strategic never shows in losses`),
  ...eventKindProblems(profile),
  ...(profile.ranks.some(rank => rank.tier === 'leader')
    ? []
    : ['ranks: at least one needs the tier leader']),
]

/** Databases keep no NUL, and no half of a character that takes two. */
function textProblems(place: string, value: unknown): string[] {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed()
      ? [`${place} has a character that cannot be kept: NUL, or half of one`]
      : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => textProblems(`${place}/${name}`, inner))
}

/** A private attribute without a scope would be readable by nobody or by everybody: neither is guessed. */
function attributeProblems({ attributes }: Profile): string[] {
  return Object.entries(attributes).flatMap(([owner, list]) =>
    list.flatMap(attribute => {
      const { key, class: attributeClass, scope, type, example } = attribute
      const isPrivate = attributeClass === 'player_private' || attributeClass === 'alliance_private'
      const problems: string[] = []
      if (isPrivate !== (scope !== undefined))
        problems.push(`class ${attributeClass} ${isPrivate ? 'needs a scope' : 'takes no scope'}`)
      if (owner === 'nation' && scope === 'treasury.read')
        problems.push('treasury.read opens fields of alliances only')
      if (owner === 'alliance' && isPrivate && scope !== 'treasury.read')
        problems.push('a private field of an alliance takes the scope treasury.read')
      if (!Compile(valueSchema(attribute)).Check(example))
        problems.push(`its example is no value of the type ${type}; null is one of every type`)
      return problems.map(problem => `attributes.${owner}.${key}: ${problem}`)
    }),
  )
}

function doubledWords({ attributes, ...profile }: Profile): string[] {
  const lists = Object.entries({
    ...profile,
    'attributes.nation': attributes.nation,
    'attributes.alliance': attributes.alliance,
  })
  return lists.flatMap(([list, words]) => {
    if (!Array.isArray(words)) return []
    const keys = words.map(entry => ('key' in entry ? entry.key : entry.type))
    const doubled = new Set(keys.filter((key, index) => keys.indexOf(key) !== index))
    return [...doubled].map(key => `${list}: ${key} stands twice`)
  })
}

/** Documents name a kind in CamelCase, where an underscore is not seen. */
function eventKindProblems({ event_kinds }: Profile): string[] {
  const types = event_kinds.map(({ type }) => type)
  return types.flatMap((type, index) => {
    const other = types.slice(0, index).find(known => pascalCase(known) === pascalCase(type))
    return other === undefined || other === type
      ? []
      : [`event_kinds: ${other} and ${type} differ in underscores alone; documents would call both the same`]
  })
}
