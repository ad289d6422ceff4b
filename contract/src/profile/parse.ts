import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { pascalCase } from '../openapi/document.ts'
import { describeErrors, type SchemaError, schemaAtError } from '../schema-errors.ts'
import { strictObject } from '../shared-schemas.ts'
import { keyRule, nationStatuses, type Profile, profileSchema, valueSchema, warOutcomes } from './profile.ts'

/** The problems of a profile, one per line: the place (a JSON pointer, or the key) and what is allowed. */
export class ProfileError extends Error {}

/**
 * Parses the text of a profile.
 * @throws {ProfileError} if it is not JSON, has duplicate members, does not match the schema, or contradicts itself.
 */
export function parseProfile(text: string): Profile {
  const profile = parseJson(text)
  const mistakes = duplicateMembers(text)
  if (mistakes.length > 0) throw new ProfileError(mistakes.join('\n'))
  const isProfile = (value: unknown): value is Profile => Compile(profileSchema).Check(value)
  const problems = isProfile(profile) ? profileProblems(profile) : schemaProblems(profile)
  if (problems.length > 0 || !isProfile(profile)) throw new ProfileError(problems.join('\n'))
  return profile
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The message may quote lines of the text.
    throw new ProfileError(`not valid JSON: ${String(Object(error).message).replace(/\s+/g, ' ')}`)
  }
}

/** TypeBox stops after eight errors, so each part and each item of a list is checked separately, to report all of them. */
function schemaProblems(profile: unknown): string[] {
  const { properties } = profileSchema
  const frame = frameOf(profileSchema)
  const parts = Object.entries(properties).flatMap(([name, schema]) => {
    const value = Object.hasOwn(Object(profile), name)
      ? (profile as Record<string, unknown>)[name]
      : undefined
    return value === undefined ? [] : partProblems(`/${name}`, schema, value)
  })
  return [...problemsIn('', frame, profile), ...parts]
}

function partProblems(place: string, schema: TSchema, value: unknown): string[] {
  const { items, properties } = schema as { items?: TSchema; properties?: Record<string, TSchema> }
  if (items && Array.isArray(value))
    return value.flatMap((item, index) => problemsIn(`${place}/${index}`, items, item))
  const lists = Object.entries(properties ?? {}).filter(([, member]) => 'items' in member)
  if (lists.length === 0 || typeof value !== 'object' || value === null)
    return problemsIn(place, schema, value)
  const frame = frameOf(schema)
  const inside = lists.flatMap(([name, member]) =>
    name in value ? partProblems(`${place}/${name}`, member, (value as Record<string, unknown>)[name]) : [],
  )
  return [...problemsIn(place, frame, value), ...inside]
}

/** The schema of an object with any values. */
function frameOf({ properties = {}, required = [] }: TSchema & { properties?: object; required?: string[] }) {
  const any = Type.Unknown()
  return strictObject(
    Object.fromEntries(
      Object.keys(properties).map(name => [name, required.includes(name) ? any : Type.Optional(any)]),
    ),
  )
}

const problemsIn = (place: string, schema: TSchema, value: unknown): string[] =>
  Compile(schema)
    .Errors(value)
    .filter(({ keyword }) => keyword !== 'boolean')
    .flatMap(error => problemsOf(place, schema, error))

function problemsOf(start: string, whole: TSchema, error: SchemaError): string[] {
  const { keyword, instancePath, params } = error
  const schema = schemaAtError(whole, error.schemaPath)
  const { requiredProperties, additionalProperties } = params as Partial<Record<string, string[]>>
  const inside = (member: string) => `${start}${instancePath}/${member}`
  if (keyword === 'required') return (requiredProperties ?? []).map(member => `${inside(member)} is missing`)
  if (keyword === 'additionalProperties') {
    const known = Object.keys(schema?.properties ?? {})
    const names = known.length > 0 ? `allowed are ${known.join(', ')}` : `a name ${keyRule}`
    return (additionalProperties ?? []).map(member => `${inside(member)} is unknown; ${names}`)
  }
  const place = start + instancePath || '/'
  return describeErrors(whole, [error]).map(({ reason }) => `${place} ${reason}`)
}

/** The problems of a profile beyond its schema, each with its place. */
export const profileProblems = (profile: Profile): string[] => [
  ...textProblems('', profile),
  ...attributeProblems(profile),
  ...duplicateKeys(profile),
  ...fixedWordProblems('nation_statuses', profile.nation_statuses, nationStatuses),
  ...fixedWordProblems('war_outcomes', profile.war_outcomes, warOutcomes),
  ...profile.units
    .filter(unit => unit.is_strategic && unit.shows_in_losses)
    .map(
      ({ key }) =>
        `units: ${key} is strategic, and losses of strategic units are never public: shows_in_losses must be false`,
    ),
  ...eventKindProblems(profile),
  ...(profile.ranks.some(rank => rank.tier === 'leader')
    ? []
    : ['ranks: at least one must have the tier leader']),
]

/** Databases store no NUL and no lone surrogates. */
function textProblems(place: string, value: unknown): string[] {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed()
      ? [`${place} has a character that cannot be stored: NUL or a lone surrogate`]
      : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => textProblems(`${place}/${name}`, inner))
}

/** A private attribute without a scope is ambiguous, so it is rejected. */
function attributeProblems({ attributes }: Profile): string[] {
  return Object.entries(attributes).flatMap(([owner, list]) =>
    list.flatMap(attribute => {
      const { key, class: attributeClass, scope, type, ranked, example } = attribute
      const isPrivate = attributeClass === 'player_private' || attributeClass === 'alliance_private'
      const problems: string[] = []
      if (isPrivate !== (scope !== undefined))
        problems.push(`class ${attributeClass} ${isPrivate ? 'requires a scope' : 'must not have a scope'}`)
      if (owner === 'nation' && scope === 'treasury.read')
        problems.push('treasury.read applies to fields of alliances only')
      if (owner === 'alliance' && isPrivate && scope !== 'treasury.read')
        problems.push('a private field of an alliance requires the scope treasury.read')
      if (ranked && attributeClass !== 'public')
        problems.push('ranked requires the class public: a place would reveal the value')
      if (ranked && type !== 'integer' && type !== 'number')
        problems.push('ranked requires the type integer or number')
      if (!Compile(valueSchema(attribute)).Check(example))
        problems.push(`its example must be of the type ${type}, or null`)
      return problems.map(problem => `attributes.${owner}.${key}: ${problem}`)
    }),
  )
}

function duplicateKeys({ attributes, ...profile }: Profile): string[] {
  const lists = Object.entries({
    ...profile,
    'attributes.nation': attributes.nation,
    'attributes.alliance': attributes.alliance,
  })
  return lists.flatMap(([list, words]) => {
    if (!Array.isArray(words)) return []
    const keys = words.map(entry => ('key' in entry ? entry.key : entry.type))
    const doubled = new Set(keys.filter((key, index) => keys.indexOf(key) !== index))
    return [...doubled].map(key => `${list}: ${key} is given twice`)
  })
}

/** A key that is a fixed word would have two meanings. */
const fixedWordProblems = (
  list: string,
  words: readonly { key: string }[] = [],
  fixed: readonly string[],
): string[] =>
  words
    .filter(({ key }) => fixed.includes(key))
    .map(({ key }) => `${list}: every game has ${key}: list only further ones, under other keys`)

/** The names of components are in PascalCase, which drops underscores. */
function eventKindProblems({ event_kinds }: Profile): string[] {
  const types = event_kinds.map(({ type }) => type)
  return types.flatMap((type, index) => {
    const other = types.slice(0, index).find(known => pascalCase(known) === pascalCase(type))
    return other === undefined || other === type
      ? []
      : [
          `event_kinds: ${other} and ${type} differ only in underscores, and would have the same name in documents`,
        ]
  })
}

/** Deeper than any written profile. */
const depthMax = 32

/** An object or a list that is not closed yet, and the position in it. */
interface Open {
  names: Set<string> | undefined
  step: string | number
  isName: boolean
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g

/**
 * Problems that JSON.parse does not report: duplicate members, of which it keeps the last, and excessive nesting. One line each, with its
 * JSON pointer; stops at the first that is nested too deep. `text` is valid JSON.
 */
function duplicateMembers(text: string): string[] {
  const problems: string[] = []
  const open: Open[] = []
  const place = () => open.map(({ step }) => `/${pointerTo(String(step))}`).join('')
  for (const [found] of text.matchAll(token)) {
    const inside = open.at(-1)
    if (found === '{' || found === '[') {
      if (open.length === depthMax)
        return [...problems, `${place()} is nested deeper than ${depthMax} levels`]
      const isObject = found === '{'
      open.push({ names: isObject ? new Set() : undefined, step: isObject ? '' : 0, isName: isObject })
    } else if (found === '}' || found === ']') open.pop()
    else if (!inside) continue
    else if (found === ',') {
      if (typeof inside.step === 'number') inside.step += 1
      else inside.isName = true
    } else if (found === ':') inside.isName = false
    else if (inside.isName) {
      inside.step = JSON.parse(found) as string
      if (inside.names?.has(inside.step)) problems.push(`${place()} is given twice`)
      inside.names?.add(inside.step)
    }
  }
  return problems
}

const pointerTo = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')
