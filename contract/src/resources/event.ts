import Type from 'typebox'
import { open, resource } from '../classification.ts'
import { wordOrNull } from '../example-words.ts'
import type { Profile } from '../profile.ts'
import { count, id, listOf, nullable, text, time } from '../shapes.ts'

/** All events are public, every member of every kind: the log, the stream and the webhooks tell everyone the same. */
export const eventResource = ({ war_types }: Profile, types: readonly string[]) =>
  resource(
    'event',
    'Something that happened. The log of events is ordered, complete and the same for everybody.',
    {
      id: open(text(64), {
        description: 'Identifier of the event; the same wherever it is told.',
        example: 'evt_1042',
      }),
      seq: open(count(), {
        description:
          'Its number in the log: from 1 in order of logging. Without gaps, but where the game went back to a backup: then numbers go on above all that were given out.',
        example: 1042,
      }),
      type: open(text(64), {
        description: `Kind of event. Kinds may be added at any time: ignore those you do not know. Now: ${types.join(', ')}.`,
        example: 'war.declared',
      }),
      occurred_at: open(time(), {
        description: 'When it happened in the game.',
        example: '2026-05-20T10:00:00Z',
      }),
      summary: open(text(1000), {
        description: 'One English sentence for people. Programs read `data`.',
        example: 'Valdoria declared war on Karsk.',
      }),
      nation_ids: open(listOf(id()), { description: 'Nations it is about.', example: ['n42', 'n9'] }),
      alliance_ids: open(listOf(id()), { description: 'Alliances it is about.', example: ['a7'] }),
      war_id: open(nullable(id()), { description: 'The war it is about.', example: 'w310' }),
      conflict_id: open(nullable(id()), { description: 'The global conflict it is about.', example: null }),
      data: open(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }), {
        description: 'What happened, in a shape that belongs to the kind.',
        example: {
          war: { war_id: 'w310', type: wordOrNull(war_types, 0), reason: null },
          attacker: {
            nation_id: 'n42',
            nation_name: 'Valdoria',
            alliance_id: 'a7',
            alliance_name: 'Northern Pact',
          },
          defender: { nation_id: 'n9', nation_name: 'Karsk', alliance_id: null, alliance_name: null },
        },
      }),
    },
  )
