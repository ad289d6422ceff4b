import { type JsonSchema, plainSchema } from './json-schema.ts'
import { profileSchema } from './profile.ts'

/** The JSON Schema of a game profile, for editors and for whoever writes one by program. */
export const profileJsonSchema = (): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Game profile of Chancery',
  ...plainSchema(profileSchema),
})
