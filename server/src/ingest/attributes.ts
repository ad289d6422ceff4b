import type { Class, Resource } from '@chancery/contract'

/** Where the attributes of a thing are kept: apart by who may read them. */
export interface SplitAttributes {
  attributes: Record<string, unknown>
  private_attributes: Record<string, unknown>
  admin_attributes: Record<string, unknown>
}

type Place = keyof SplitAttributes

/** Where values of each class are kept. */
export const placeOfClass: Record<Class, Place> = {
  public: 'attributes',
  player_private: 'private_attributes',
  alliance_private: 'private_attributes',
  admin_only: 'admin_attributes',
}

/** The place of each attribute of a resource; undefined for a resource that has none. */
export function attributePlaces(resource: Resource): Map<string, Place> | undefined {
  const field = resource.fields.attributes as
    | { properties?: Record<string, { 'x-class': Class }> }
    | undefined
  if (!field) return undefined
  return new Map(
    Object.entries(field.properties ?? {}).map(([key, schema]) => [key, placeOfClass[schema['x-class']]]),
  )
}

/** Puts what the game says of attributes into their places. */
export function splitAttributes(places: Map<string, Place>, said: object): SplitAttributes {
  const split: SplitAttributes = { attributes: {}, private_attributes: {}, admin_attributes: {} }
  for (const [key, value] of Object.entries(said)) split[places.get(key) ?? 'admin_attributes'][key] = value
  return split
}
