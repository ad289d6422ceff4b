import Type from 'typebox'
import { derivedField, publicField, resource, withInputSchema } from '../classification.ts'
import { exampleCounts } from '../profile/examples.ts'
import type { Profile } from '../profile/profile.ts'
import { count, enumOf, id, listOf, name, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { writtenText } from '../text-origin.ts'
import { lossesOfSide } from './war.ts'

const conflictStatuses = ['active', 'ended'] as const

const suppliedSides = () =>
  listOf(
    strictObject({
      name: writtenText(name(100)),
      alliances: listOf(
        Type.Object(
          {
            alliance_id: id(),
            joined_at: Type.Optional(nullable(time())),
            left_at: Type.Optional(nullable(time())),
          },
          { additionalProperties: false },
        ),
        { maxItems: 1000 },
      ),
    }),
    {
      maxItems: 20,
      description: 'The sides and their alliances. The list replaces the previous one as a whole.',
    },
  )

export function conflictResource(profile: Profile) {
  return resource('conflict', 'A global conflict: a group of wars between alliances.', {
    id: publicField(id(), { description: 'Identifier that the game chose.', example: 'c4' }),
    name: publicField(name(200), { description: 'Its name.', example: 'War of the Straits' }),
    status: publicField(enumOf(conflictStatuses), {
      description: 'active until it has ended.',
      example: 'active',
      default: 'active',
    }),
    cause: publicField(nullable(text(1000)), {
      description: 'What started it.',
      example: 'Valdoria closed the straits.',
    }),
    started_at: publicField(time(), { description: 'When it started.', example: '2026-05-18T00:00:00Z' }),
    ended_at: publicField(nullable(time()), {
      description: 'When it ended; null while it is active or if unknown.',
      example: null,
    }),
    sides: withInputSchema(
      publicField(
        listOf(
          strictObject({
            name: name(100, { description: 'The side’s name.' }),
            alliances: listOf(
              strictObject({
                alliance_id: id({ description: 'The alliance.' }),
                name: name(100, { description: 'Its name.' }),
                joined_at: nullable(time({ description: 'When it joined the side.' })),
                left_at: nullable(time({ description: 'When it left; null while it takes part.' })),
              }),
            ),
            nation_count: count({ description: 'Nations of this side that fought in its wars.' }),
            battles_won: count({ description: 'Battles won by this side.' }),
            losses: lossesOfSide(profile),
          }),
        ),
        {
          description: 'The sides. Counts are computed from the wars of the conflict.',
          example: [
            {
              name: 'Northern Pact and friends',
              alliances: [
                {
                  alliance_id: 'a7',
                  name: 'Northern Pact',
                  joined_at: '2026-05-18T00:00:00Z',
                  left_at: null,
                },
              ],
              nation_count: 12,
              battles_won: 31,
              losses: exampleCounts(
                profile.units.filter(unit => unit.shows_in_losses),
                [0, 81000],
              ),
            },
          ],
          default: [],
        },
      ),
      suppliedSides(),
    ),
    wars: derivedField(
      publicField(
        strictObject({
          active: count({ description: 'Active wars of the conflict.' }),
          total: count({ description: 'All wars of the conflict.' }),
        }),
        { description: 'Counts of its wars.', unit: 'wars', example: { active: 9, total: 14 } },
      ),
    ),
    battles_count: derivedField(
      publicField(count(), { description: 'Battles fought in its wars.', unit: 'battles', example: 77 }),
    ),
    era_id: publicField(nullable(id()), { description: 'The era in which it started.', example: 'e2' }),
  })
}
