import Type from 'typebox'
import { open, resource } from '../classification.ts'
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

export function gameResource() {
  const era = eraResource().fields
  const wordsExample = [{ key: 'steel', label: 'Steel' }]
  return resource('game', 'The game and its words.', {
    name: open(name(100), { description: 'The game’s name.', example: 'Meridian' }),
    url: open(nullable(text(500)), { description: 'The game’s home page.', example: null }),
    currency: open(shape({ key: text(64), label: name(100) }), {
      description: 'The currency of prices and credits.',
      example: { key: 'credits', label: 'Credits' },
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
        example: [{ key: 'tanks', label: 'Tanks', is_strategic: false, shows_in_losses: true }],
      },
    ),
    resources: open(words(), { description: 'Goods that are stored and traded.', example: wordsExample }),
    ranks: open(
      listOf(shape({ key: text(64), label: name(100), tier: oneOf(['leader', 'officer', 'member']) })),
      {
        description: 'Ranks inside an alliance, highest first.',
        example: [{ key: 'officer', label: 'Minister', tier: 'officer' }],
      },
    ),
    governments: open(words(), {
      description: 'Forms of government.',
      example: [{ key: 'republic', label: 'Republic' }],
    }),
    continents: open(words(), { description: 'Continents.', example: [{ key: 'borea', label: 'Borea' }] }),
    war_types: open(words(), { description: 'Kinds of war.', example: [{ key: 'raid', label: 'Raid' }] }),
    battle_kinds: open(words(), {
      description: 'Kinds of battle.',
      example: [{ key: 'air', label: 'Air strike' }],
    }),
    treaty_types: open(words(), {
      description: 'Kinds of treaty.',
      example: [{ key: 'non_aggression', label: 'Non-aggression' }],
    }),
    news_categories: open(words(), {
      description: 'Categories of news.',
      example: [{ key: 'war', label: 'War' }],
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
