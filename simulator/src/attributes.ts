import type { Attribute } from '@chancery/contract'
import { written } from './calendar.ts'
import { placeName } from './names/name-book.ts'
import type { Random } from './random.ts'

/** The attribute that follows a nation’s weariness of war, where the profile has it. */
export const wearinessKey = 'war_weariness'

/** Values for the profile’s further fields, in the manner of their examples. */
export function attributeValues(
  attributes: readonly Attribute[],
  random: Random,
  { family, since }: { family: number; since: number },
): Record<string, string | number | boolean> {
  const values: Record<string, string | number | boolean> = {}
  for (const attribute of attributes) values[attribute.key] = valueFor(attribute, random, family, since)
  return values
}

function valueFor(of: Attribute, random: Random, family: number, since: number): string | number | boolean {
  if (of.key === wearinessKey) return 0
  if (of.type === 'time') return written(since)
  if (of.type === 'boolean') return random.chance(0.5)
  if (of.type === 'string') {
    if (/city|capital|headquarter|port|seat|town/.test(of.key)) return placeName(random, family)
    return typeof of.example === 'string' ? of.example : ''
  }
  const example = typeof of.example === 'number' ? of.example : 50
  const around = example * random.range(0.7, 1.15)
  const bounded = /percent|point|%/.test(of.unit ?? '') ? Math.min(99.9, around) : around
  return of.type === 'integer' ? Math.round(bounded) : Math.round(bounded * 10) / 10
}
