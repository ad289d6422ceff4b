import { holdsScope } from '@chancery/contract'
import type { Slot } from './slots.ts'
import type { Viewer } from './viewers.ts'
import { bornIn, memberSince } from './world.ts'

/**
 * Whether a viewer may read a slot of a row, by the text of the classification, independent of the code of the service. Describes the end
 * of the world of `world.ts`.
 */
export function mayKnow(viewer: Viewer, { resource, fieldClass, scope }: Slot, id: string): boolean {
  const holds = scope !== undefined && holdsScope(new Set(viewer.scopes), scope)
  switch (fieldClass) {
    case 'public':
      return true
    case 'player_private':
      return holds && resource === 'nation' && viewer.nation === id
    case 'alliance_private':
      if (resource === 'nation') return holds && viewer.nation === id
      return holds && resource === 'alliance' && viewer.treasury === id
    case 'admin_only':
      return false
  }
}

/** What is no viewer's to read and yet makes a viewer's standing: who leads a nation, and who may see a treasury. */
export function makesStandingOf(
  viewer: Viewer,
  { resource, path }: Slot,
  id: string,
  batch: number,
): boolean {
  if (viewer.nation !== id) return false
  if (resource === 'nation' && path[0] === 'player') return batch >= bornIn(id)
  return resource === 'alliance_member' && path[0] === 'can_view_treasury' && batch >= memberSince(id)
}
