import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { pascalCase } from '../openapi/document.ts'
import { describeErrors, type SchemaError, schemaAtError } from '../schema-errors.ts'
import { strictObject } from '../shared-schemas.ts'
import { keyRule, type Profile, profileSchema, valueSchema } from './profile.ts'

/** What is wrong with a profile: a line for each problem, with its place (a JSON pointer, or the word) and what is allowed. */
export class ProfileError extends Error {}

/**
 * Reads the text of a profile.
 * @throws {ProfileError} where it is not JSON, says something twice, is not of the profile's schema, or contradicts itself.
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
    throw new ProfileError(`it is not JSON: ${String(Object(error).message).replace(/\s+/g, ' ')}`)
  }
}

/** The checker ends after eight errors: each part, and each item of a list, is checked on its own, so that all are told. */
function schemaProblems(profile: unknown): string[] {
  const { properties } = profileSchema
  const frame = strictObject(Object.fromEntries(Object.keys(properties).map(name => [name, Type.Unknown()])))
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
  const frame = strictObject(
    Object.fromEntries(Object.keys(properties ?? {}).map(name => [name, Type.Unknown()])),
  )
  const inside = lists.flatMap(([name, member]) =>
    name in value ? partProblems(`${place}/${name}`, member, (value as Record<string, unknown>)[name]) : [],
  )
  return [...problemsIn(place, frame, value), ...inside]
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
    return (additionalProperties ?? []).map(member => `${inside(member)} is not known here; ${names}`)
  }
  const place = start + instancePath || '/'
  return describeErrors(whole, [error]).map(({ reason }) => `${place} ${reason}`)
}

/** What is wrong with a profile beyond its schema, as sentences that begin with the place. */
export const profileProblems = (profile: Profile): string[] => [
  ...textProblems('', profile),
  ...attributeProblems(profile),
  ...duplicateKeys(profile),
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

/** Deeper than anything that a person writes. */
const depthMax = 32

/** An object or a list that is not closed yet, and where in it the text is. */
interface Open {
  names: Set<string> | undefined
  step: string | number
  isName: boolean
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g

/**
 * What parsing a text of JSON does not tell: members that are given twice, of which the last one would win without a word, and nesting
 * beyond all measure. A line each, with its JSON pointer; at most the first for what is nested too deep. `text` is JSON.
 */
export function duplicateMembers(text: string): string[] {
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
