import Type from 'typebox'
import { publicField, resource } from '../classification.ts'
import { exampleKeyOrNull } from '../profile/examples.ts'
import type { Profile } from '../profile/profile.ts'
import { count, id, line, listOf, name, nullable, profileEnum, text, time } from '../shared-schemas.ts'

/** All events are public, every member of every kind: the log, the stream and webhooks send the same to all. */
export const eventResource = ({ war_types }: Profile, types: readonly string[]) =>
  resource(
    'event',
    'An occurrence in the game. The event log is ordered, complete and the same for all callers.',
    {
      id: publicField(text(64), {
        description: 'Identifier of the event; the same in the log, the stream and webhooks.',
        example: 'evt_1042',
      }),
      seq: publicField(count(), {
        description:
          'Its number in the log, from 1 in the order of logging. There are no gaps, except after the restore of a backup: numbers then continue above all numbers that were used.',
        example: 1042,
      }),
      type: publicField(text(64), {
        description: `Kind of event. Kinds may be added at any time: ignore unknown ones. At present: ${types.join(', ')}.`,
        example: 'war.declared',
      }),
      occurred_at: publicField(time(), {
        description: 'When it happened in the game.',
        example: '2026-05-20T10:00:00Z',
      }),
      summary: publicField(text(1000), {
        description: 'One English sentence for humans. Programs read `data`.',
        example: 'Valdoria declared war on Karsk.',
      }),
      nation_ids: publicField(listOf(id()), { description: 'Nations it is about.', example: ['n42', 'n9'] }),
      alliance_ids: publicField(listOf(id()), { description: 'Alliances it is about.', example: ['a7'] }),
      war_id: publicField(nullable(id()), { description: 'The war it is about.', example: 'w310' }),
      conflict_id: publicField(nullable(id()), {
        description: 'The global conflict it is about.',
        example: null,
      }),
      data: publicField(
        Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
        {
          description: 'Details, with members that depend on the kind.',
          example: {
            war: { war_id: 'w310', type: exampleKeyOrNull(war_types, 0), reason: null },
            attacker: {
              nation_id: 'n42',
              nation_name: 'Valdoria',
              alliance_id: 'a7',
              alliance_name: 'Northern Pact',
            },
            defender: { nation_id: 'n9', nation_name: 'Karsk', alliance_id: null, alliance_name: null },
          },
        },
      ),
    },
  )

export const newsItemResource = (profile: Profile) =>
  resource('news_item', 'A news item of the game.', {
    id: publicField(id(), { description: 'Identifier that the game chose.', example: 'news88' }),
    title: publicField(name(300), { description: 'Its headline.', example: 'Valdoria closes the straits' }),
    body: publicField(text(50_000), {
      description: 'Its text, in Markdown.',
      example: 'Merchants of **Karsk** turned back this morning.',
      default: '',
    }),
    category: publicField(nullable(profileEnum(profile.news_categories)), {
      description: 'Key of the category, as in the game profile.',
      example: exampleKeyOrNull(profile.news_categories, 1),
    }),
    author: publicField(nullable(line(100)), { description: 'Who wrote it.', example: 'The Daily Courier' }),
    published_at: publicField(time(), {
      description: 'When it was published.',
      example: '2026-05-18T07:00:00Z',
    }),
    nation_ids: publicField(listOf(id(), { maxItems: 100 }), {
      description: 'Nations it is about.',
      example: ['n42', 'n9'],
      default: [],
    }),
    alliance_ids: publicField(listOf(id(), { maxItems: 100 }), {
      description: 'Alliances it is about.',
      example: ['a7'],
      default: [],
    }),
  })
