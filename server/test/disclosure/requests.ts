import { type Contract, type Operation, operations, type Parameter } from '@chancery/contract'
import { words } from './values.ts'
import { ids } from './world.ts'

/** A request: an operation, and its path below a base. `@2` is the time of batch 2. */
export interface Request {
  operation: Operation
  path: string
}

/** Values for the `{id}` of a path: ids of its resource, and unknown ones. */
function pathIds(path: string): string[] {
  const kinds: Record<string, string[]> = { nations: ids.nation, alliances: ids.alliance, wars: ids.war }
  const named = kinds[path.split('/')[1] ?? ''] ?? Object.values(ids).flat()
  return [...named, 'unknown', 'no%20id']
}

const keysOf = ({ profileList: own }: Parameter, { profile }: Contract) => [
  ...(own ? profile[own.list].slice(0, 2).map(({ key }) => key) : []),
  'nothing',
]

const idLists = ['n_leader', 'n_enemy,n_member,unknown', 'a_one', 'a_two,a_again', 'w_1', '-']

const values: Record<Parameter['kind'], (parameter: Parameter, contract: Contract) => string[]> = {
  integer: () => ['0', '1', '2', '3', '100', '9999', 'x'],
  decimal: () => ['0', '7.5', '500', '1e3'],
  text: () => [...words, 'the', '_', '', 'no such name'],
  id: () => [...ids.war, 'c_1', 'unknown'],
  profile_enum: keysOf,
  profile_enum_list: (parameter, contract) => [
    ...keysOf(parameter, contract),
    keysOf(parameter, contract).join(','),
  ],
  ids: () => idLists,
  related_ids: () => idLists,
  enum: ({ schema }) => [...wordsOf(schema), 'nonsense'],
  enum_list: ({ schema }) => {
    const named = wordsOf((schema as { items?: object }).items ?? {})
    return [...named, named.join(',')]
  },
  time: () => ['@0', '@2', '@4', '2026-01-01T00:00:00Z', 'now'],
  date_or_time: () => ['2026-01-01', '2100-01-01', 'now'],
  event_id: () => ['1'],
  event_types: (_parameter, { eventKinds }) => {
    const kinds = Object.keys(eventKinds)
    const families = new Set(kinds.map(kind => `${kind.split('.')[0]}.*`))
    return [...families, ...kinds.slice(0, 4), 'war.*,nation.founded']
  },
}

const wordsOf = (schema: object) => (schema as { enum?: string[] }).enum ?? []

/** Each operation with each of its parameters. New operations and parameters are included when they are declared. */
export function requestsOf(contract: Contract): Request[] {
  return Object.values<Operation>(operations).flatMap(operation => {
    const parameters = Object.entries(operation.parameters)
    const queries = parameters
      .filter(([, parameter]) => parameter.in === 'query')
      .flatMap(([name, parameter]) =>
        values[parameter.kind](parameter, contract).map(value => `${name}=${encodeURIComponent(value)}`),
      )
    const pathKind = parameters.find(([, parameter]) => parameter.in === 'path')?.[1].kind
    const paths =
      pathKind === undefined
        ? [operation.path]
        : pathKind === 'id'
          ? pathIds(operation.path).map(id => operation.path.replace(/\{\w+\}/, id))
          : ['K7PWM3XQ9T', 'none'].map(text => operation.path.replace(/\{\w+\}/, text))
    const limited = operation.returns.isList ? ['', 'limit=100'] : ['']
    return paths.flatMap(path => [
      ...limited.map(query => ({ operation, path: query ? `${path}?${query}` : path })),
      ...queries.map(query => ({ operation, path: `${path}?${query}` })),
    ])
  })
}

/** Whether the response of an operation may depend on the viewer. */
export const isViewerSpecific = ({ cache, includeScopes, scope }: Operation): boolean =>
  cache === 'private' || includeScopes !== undefined || scope !== 'none'

/** A path with the times of a server's batches in it. */
export const withTimes = (path: string, times: readonly string[]): string =>
  path.replace(/%40(\d)/, (_, batch: string) => encodeURIComponent(times[Number(batch)] ?? ''))
