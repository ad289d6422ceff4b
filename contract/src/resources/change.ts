import { publicField, resource } from '../classification.ts'
import { count, enumOf, id, text } from '../shared-schemas.ts'

/** The resources whose items are listed for all callers: their changes are logged, and snapshots contain them. */
export const listedResources = [
  'alliance',
  'nation',
  'alliance_member',
  'treaty',
  'era',
  'conflict',
  'war',
  'battle',
  'market_price',
  'news_item',
] as const
export type ListedResource = (typeof listedResources)[number]

/** The score by which items have a `rank`. It follows from the scores of all, so a change of it alone is not logged. */
export const rankScores = {
  nation: 'national_score',
  alliance: 'total_score',
} as const satisfies Partial<Record<ListedResource, string>>

const changeKinds = ['put', 'deleted'] as const

export const changeResource = () =>
  resource(
    'change',
    'The last change of an item: it has another content, or does not exist any more. A change of its rank alone does not count.',
    {
      seq: publicField(count(), {
        description:
          'Its number, in the order of the changes. When the item changes again, the change gets a new number, and this one is gone.',
        example: 5120,
      }),
      resource: publicField(text(64), {
        description: `What changed. Kinds of items may be added at any time: ignore unknown ones. At present: ${listedResources.join(', ')}.`,
        example: 'nation',
      }),
      id: publicField(id(), {
        description:
          'The id of the item; of an alliance member that of its nation, of a market price the key of the resource.',
        example: 'n42',
      }),
      change: publicField(enumOf(changeKinds), {
        description:
          '`put`: it is new or has another content, which its list returns with `ids`. `deleted`: it is gone.',
        example: 'put',
      }),
    },
  )
