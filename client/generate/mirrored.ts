import { itemLists, listedResources, rankScores, returnedName } from '@chancery/contract'

const typeOf = (resource: (typeof listedResources)[number]) =>
  returnedName(itemLists[resource].list.returns, resource)

/** The text of `src/mirrored.ts`: the resources that a mirror copies, and the lists that return their items. */
export function mirroredText(): string {
  const scores: Readonly<Record<string, string>> = rankScores
  const lists = listedResources.map(resource => {
    const { list, parameter, key } = itemLists[resource]
    const score = scores[resource]
    const ranked = score === undefined ? '' : `, score: '${score}'`
    return `${resource}: { path: '${list.path}', parameter: '${parameter}', key: '${key}'${ranked} },`
  })
  return [
    '// Written by client/generate/main.ts from the contract. Change the contract, then run: npm run generate',
    `import type { ${listedResources.map(typeOf).sort().join(', ')} } from './api-types.ts'`,
    `/** The items that a mirror copies, by resource. */\nexport interface MirroredItems {\n${listedResources
      .map(resource => `${resource}: ${typeOf(resource)}`)
      .join('\n')}\n}`,
    'export type MirroredResource = keyof MirroredItems',
    `/** The list of each resource, the parameter that takes keys of items, and the field that has the key. Items with a \`rank\` are ranked by \`score\`. */
export const mirrored: Readonly<
  Record<MirroredResource, Readonly<{ path: string; parameter: string; key: string; score?: string }>>
> = {\n${lists.join('\n')}\n}`,
    '/** Their names. */\nexport const mirroredResources = Object.keys(mirrored) as MirroredResource[]',
  ].join('\n\n')
}
