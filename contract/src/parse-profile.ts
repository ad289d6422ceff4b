import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { jsonTextProblems } from './json-text.ts'
import { type Profile, profileSchema, wordRule } from './profile.ts'
import { profileProblems } from './profile-problems.ts'
import { describeErrors, type SchemaError, schemaAtError } from './schema-errors.ts'
import { shape } from './shapes.ts'

/** What is wrong with a profile: a line for each problem, with its place (a JSON pointer, or the word) and what is allowed. */
export class ProfileError extends Error {}

/**
 * Reads the text of a profile.
 * @throws {ProfileError} where it is not JSON, says something twice, is not of the profile's schema, or contradicts itself.
 */
export function parseProfile(text: string): Profile {
  const profile = parseJson(text)
  const mistakes = jsonTextProblems(text)
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
  const frame = shape(Object.fromEntries(Object.keys(properties).map(name => [name, Type.Unknown()])))
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
  const frame = shape(Object.fromEntries(Object.keys(properties ?? {}).map(name => [name, Type.Unknown()])))
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
    const names = known.length > 0 ? `allowed are ${known.join(', ')}` : `a name ${wordRule}`
    return (additionalProperties ?? []).map(member => `${inside(member)} is not known here; ${names}`)
  }
  const place = start + instancePath || '/'
  return describeErrors(whole, [error]).map(({ reason }) => `${place} ${reason}`)
}
