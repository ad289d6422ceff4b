import Type from 'typebox'
import { open, resource } from '../classification.ts'
import { oneOfList } from '../example-words.ts'
import type { Profile } from '../profile.ts'
import { listOf, name, nullable, oneOf, shape, text, time } from '../shapes.ts'
import { eraResource } from './era.ts'

const words = () => listOf(shape({ key: text(64), label: name(100) }))
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
      },
      { additionalProperties: false },
    ),
  )

export function gameResource(profile: Profile) {
  const era = eraResource().fields
  return resource('game', 'The game and its words.', {
    name: open(name(100), { description: 'The game’s name.', example: profile.name }),
    url: open(nullable(text(500)), { description: 'The game’s home page.', example: profile.url }),
    currency: open(shape({ key: text(64), label: name(100) }), {
      description: 'The currency of prices and credits.',
      example: profile.currency,
    }),
    units: open(
      listOf(
        shape({
          key: text(64),
          label: name(100),
          is_strategic: Type.Boolean(),
          shows_in_losses: Type.Boolean(),
        }),
      ),
      {
        description: 'Military units. Strategic ones are the weapons of strategic_weapon events.',
        example: oneOfList(profile.units, 1),
      },
    ),
    resources: open(words(), {
      description: 'Goods that are stored and traded.',
      example: oneOfList(profile.resources, 5),
    }),
    ranks: open(
      listOf(shape({ key: text(64), label: name(100), tier: oneOf(['leader', 'officer', 'member']) })),
      {
        description: 'Ranks inside an alliance, highest first.',
        example: oneOfList(profile.ranks, 1),
      },
    ),
    governments: open(words(), {
      description: 'Forms of government.',
      example: oneOfList(profile.governments, 0),
    }),
    continents: open(words(), { description: 'Continents.', example: oneOfList(profile.continents, 0) }),
    war_types: open(words(), { description: 'Kinds of war.', example: oneOfList(profile.war_types, 1) }),
    battle_kinds: open(words(), {
      description: 'Kinds of battle.',
      example: oneOfList(profile.battle_kinds, 1),
    }),
    treaty_types: open(words(), {
      description: 'Kinds of treaty.',
      example: oneOfList(profile.treaty_types, 2),
    }),
    news_categories: open(words(), {
      description: 'Categories of news.',
      example: oneOfList(profile.news_categories, 0),
    }),
    event_kinds: open(listOf(shape({ type: text(64), description: text(500) })), {
      description: 'Every kind of event that this server may tell.',
      example: [{ type: 'war.declared', description: 'A nation declared war on another.' }],
    }),
    attributes: open(shape({ nation: attributes(), alliance: attributes() }), {
      description: 'Further fields of nations and alliances, with their class.',
      example: { nation: [], alliance: [] },
    }),
    era: open(
      nullable(
        shape({
          id: era.id,
          number: era.number,
          name: era.name,
          status: era.status,
          started_at: era.started_at,
          ended_at: era.ended_at,
        }),
      ),
      {
        description: 'The era that goes on; of several the one that started last. Null for none.',
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
    world_changed_at: open(nullable(time()), {
      description: 'When something public last changed in the world; null for an empty world.',
      example: '2026-05-27T18:04:11Z',
    }),
  })
}
