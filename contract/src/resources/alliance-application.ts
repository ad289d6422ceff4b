import { adminOnly, resource } from '../classification.ts'
import { id, nullable, time } from '../shapes.ts'

export function allianceApplicationResource() {
  return resource(
    'alliance_application',
    'A nation’s wish to join an alliance. It is not membership and never leaves.',
    {
      nation_id: adminOnly(id(), { description: 'The nation that applies.', example: 'n77' }),
      alliance_id: adminOnly(id(), { description: 'The alliance that it applies to.', example: 'a7' }),
      applied_at: adminOnly(nullable(time()), {
        description: 'When it applied.',
        example: '2026-05-26T11:00:00Z',
      }),
    },
  )
}
