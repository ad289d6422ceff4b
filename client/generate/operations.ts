import type { Operation } from '@chancery/contract'
import { cachePolicyOf, groups, limits, pathParameters, placeOf } from './described.ts'

const kept = [
  'anonymousCalls',
  'keyCalls',
  'windowSeconds',
  'sharedCacheSeconds',
  'pageSizeMax',
  'streamHeartbeatSeconds',
  'streamRetrySeconds',
] as const

const written =
  '// Written by client/generate/main.ts from the contract. Change the contract, then run: npm run generate'

/** The text of `src/limits.ts`: the numbers that a client goes by. */
export const limitsText = (): string =>
  `${written}\n\n/** The numbers of the API that a client goes by. */\nexport const limits = {\n${kept
    .map(name => `${name}: ${limits[name]},`)
    .join('\n')}\n}`

/** The text of `src/operations.ts`: how each operation is called. */
export function operationsText(): string {
  const members = groups().map(
    ([group, operations]) => `${group}: {\n${operations.map(methods).join('\n')}\n},`,
  )
  return [
    written,
    `import type { Operations } from './api-types.ts'`,
    `import type { Calls } from './calls.ts'`,
    `/** A method for each operation. */\nexport const createOperations = ({ one, page, pages, segment }: Calls): Operations => ({\n${members.join('\n')}\n})`,
  ].join('\n\n')
}

function methods(operation: Operation): string {
  const { method, iterator } = placeOf(operation)
  const ids = pathParameters(operation).map(([name]) => name)
  const taken = ids.length > 0 ? `(${[...ids, 'options'].join(', ')})` : 'options'
  const path =
    ids.length > 0
      ? `\`${operation.path.replace(/\{(\w+)\}/g, (_, name) => `\${segment(${name})}`)}\``
      : `'${operation.path}'`
  const rest = `(${path}, '${cachePolicyOf(operation)}', options)`
  if (!operation.returns.isList) return `${method}: ${taken} => one${rest},`
  return `${method}: ${taken} => page${rest},\n${iterator}: ${taken} => pages${rest},`
}
