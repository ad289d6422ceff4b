import Type from 'typebox'
import { publicField, resource, withInputSchema } from '../classification.ts'
import { exampleEntries } from '../profile/examples.ts'
import { currencyOf, nationStatuses, type Profile, warOutcomes } from '../profile/profile.ts'
import { count, enumOf, id, listOf, name, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { copyOf } from '../text-origin.ts'

const words = () => listOf(strictObject({ key: text(64), label: name(100) }))
const mappedWords = <const V extends string>(fixed: readonly V[]) =>
  listOf(strictObject({ key: text(64), label: name(100), is: enumOf(fixed) }))
const attributes = () =>
  listOf(
    Type.Object(
      {
        key: text(64),
        type: text(20),
        description: text(500),
        class: text(20),
        scope: Type.Optional(text(64)),
        unit: Type.Optional(text(50)),
        ranked: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
  )

export function gameResource(profile: Profile) {
  const era = eraResource().fields
  return resource('game', 'The game and its terms.', {
    name: publicField(name(100), { description: 'The game’s name.', example: profile.name }),
    url: publicField(nullable(text(500)), { description: 'The game’s home page.', example: profile.url }),
    currency: publicField(
      strictObject({
        key: text(64),
        label: name(100),
        decimals: count({ description: 'How many decimals amounts of money have at most.' }),
        price_decimals: count({ description: 'How many decimals prices for one unit have at most.' }),
      }),
      { description: 'The currency of prices and credits.', example: currencyOf(profile) },
    ),
    units: publicField(
      listOf(
        strictObject({
          key: text(64),
          label: name(100),
          is_strategic: Type.Boolean(),
          shows_in_losses: Type.Boolean(),
        }),
      ),
      {
        description: 'Military units. Strategic ones are the weapons of strategic_weapon events.',
        example: exampleEntries(profile.units, 1),
      },
    ),
    resources: publicField(words(), {
      description: 'Goods that are stored and traded.',
      example: exampleEntries(profile.resources, 5),
    }),
    ranks: publicField(
      listOf(
        strictObject({ key: text(64), label: name(100), tier: enumOf(['leader', 'officer', 'member']) }),
      ),
      {
        description: 'Ranks inside an alliance, highest first.',
        example: exampleEntries(profile.ranks, 1),
      },
    ),
    nation_statuses: publicField(mappedWords(nationStatuses), {
      description: 'Statuses of nations that the game has besides the fixed ones; `is` is their status.',
      example: exampleEntries(profile.nation_statuses ?? [], 0),
    }),
    governments: publicField(words(), {
      description: 'Forms of government.',
      example: exampleEntries(profile.governments, 0),
    }),
    continents: publicField(words(), {
      description: 'Continents.',
      example: exampleEntries(profile.continents, 0),
    }),
    war_types: publicField(words(), {
      description: 'Kinds of war.',
      example: exampleEntries(profile.war_types, 1),
    }),
    war_outcomes: publicField(mappedWords(warOutcomes), {
      description: 'Outcomes of wars that the game has besides the fixed ones; `is` is their outcome.',
      example: exampleEntries(profile.war_outcomes ?? [], 0),
    }),
    battle_kinds: publicField(words(), {
      description: 'Kinds of battle.',
      example: exampleEntries(profile.battle_kinds, 1),
    }),
    treaty_types: publicField(words(), {
      description: 'Kinds of treaty.',
      example: exampleEntries(profile.treaty_types, 2),
    }),
    news_categories: publicField(words(), {
      description: 'Categories of news.',
      example: exampleEntries(profile.news_categories, 0),
    }),
    event_kinds: publicField(listOf(strictObject({ type: text(64), description: text(500) })), {
      description: 'Every kind of event that this server may send.',
      example: [{ type: 'war.declared', description: 'A nation declared war on another.' }],
    }),
    attributes: publicField(strictObject({ nation: attributes(), alliance: attributes() }), {
      description: 'Further fields of nations and alliances, with their class.',
      example: { nation: [], alliance: [] },
    }),
    era: publicField(
      nullable(
        strictObject({
          id: era.id,
          number: era.number,
          name: era.name,
          status: era.status,
          started_at: era.started_at,
          ended_at: era.ended_at,
        }),
      ),
      {
        description: 'The active era; if there are several, the one that started last. Null for none.',
        example: {
          id: 'e2',
          number: 2,
          name: 'The Second Dawn',
          status: 'active',
          started_at: '2026-03-01T00:00:00Z',
          ended_at: null,
        },
      },
    ),
    world_changed_at: publicField(nullable(time()), {
      description: 'When public data of the world last changed; null for an empty world.',
      example: '2026-05-27T18:04:11Z',
    }),
  })
}

const eraStatuses = ['upcoming', 'active', 'ended'] as const

export const eraResource = () =>
  resource('era', 'A period of the game, from one reset to the next.', {
    id: publicField(id(), { description: 'Identifier that the game chose.', example: 'e2' }),
    number: publicField(nullable(count()), { description: 'The era’s number.', example: 2 }),
    name: publicField(name(200), { description: 'Its name.', example: 'The Second Dawn' }),
    status: publicField(enumOf(eraStatuses), {
      description: 'upcoming, active or ended.',
      example: 'active',
      default: 'active',
    }),
    started_at: publicField(nullable(time()), {
      description: 'When it started, or will start.',
      example: '2026-03-01T00:00:00Z',
    }),
    ended_at: publicField(nullable(time()), {
      description: 'When it ended; null before the end.',
      example: null,
    }),
    summary: publicField(nullable(text(5000)), { description: 'A summary of the era.', example: null }),
    champion: withInputSchema(
      publicField(
        nullable(
          strictObject({
            alliance_id: id({ description: 'The alliance.' }),
            name: name(100, { description: 'Its name at the time.' }),
          }),
        ),
        { description: 'The alliance that won the era; null before the end, or for none.', example: null },
      ),
      nullable(strictObject({ alliance_id: id(), name: copyOf('alliance.name', 'alliance_id', name(100)) })),
    ),
  })
