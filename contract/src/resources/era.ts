import { open, resource, suppliedAs } from '../classification.ts'
import { count, id, name, nullable, oneOf, shape, text, time } from '../shapes.ts'
import { copyOf } from '../text-origin.ts'

const eraStatuses = ['upcoming', 'active', 'ended'] as const

export const eraResource = () =>
  resource('era', 'A round of the game, from one reset to the next.', {
    id: open(id(), { description: 'Identifier that the game chose.', example: 'e2' }),
    number: open(nullable(count()), { description: 'The era’s number.', example: 2 }),
    name: open(name(200), { description: 'Its name.', example: 'The Second Dawn' }),
    status: open(oneOf(eraStatuses), {
      description: 'upcoming, active or ended.',
      example: 'active',
      default: 'active',
    }),
    started_at: open(nullable(time()), {
      description: 'When it started, or will start.',
      example: '2026-03-01T00:00:00Z',
    }),
    ended_at: open(nullable(time()), { description: 'When it ended; null before.', example: null }),
    summary: open(nullable(text(5000)), { description: 'What it is remembered for.', example: null }),
    champion: suppliedAs(
      open(
        nullable(
          shape({
            alliance_id: id({ description: 'The alliance.' }),
            name: name(100, { description: 'Its name at the time.' }),
          }),
        ),
        { description: 'The alliance that won the era; null before, or for none.', example: null },
      ),
      nullable(shape({ alliance_id: id(), name: copyOf('alliance.name', 'alliance_id', name(100)) })),
    ),
  })
