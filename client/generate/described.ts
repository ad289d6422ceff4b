import {
  componentName,
  contractFor,
  demoProfile,
  limits,
  type Operation,
  operations,
  type ResourceName,
  type Returns,
  returnedName,
  type PrintableSchema as Schema,
  returnedSchema as schemaOfGame,
} from '@chancery/contract'
import { commonSchema } from './common-schema.ts'
import { otherGame } from './other-game.ts'

const demo = contractFor(demoProfile)
const other = contractFor(otherGame)

/** The schema of a resource as an operation returns it, for any game. */
export const returnedSchema = (name: ResourceName, returns: Returns): Schema =>
  commonSchema(schemaOfGame(demo, returns, name) as Schema, schemaOfGame(other, returns, name) as Schema)

/** The schema of one view of a resource, for any game. */
export const resourceSchema = (name: ResourceName, view: Returns['view']): Schema =>
  returnedSchema(name, { isList: false, resources: [name], view })

export { componentName, limits, returnedName }

/** Kinds of events of any game, without those of a profile. */
export const eventKinds = Object.entries(demo.eventKinds)
  .filter(([type]) => type in other.eventKinds)
  .map(([type, { description, data }]) => ({
    type,
    description,
    data: commonSchema(data as Schema, (other.eventKinds[type]?.data ?? {}) as Schema),
  }))

/** Every operation but the stream, for which `follow` is written by hand. */
export const requestOperations: Operation[] = Object.values<Operation>(operations).filter(
  ({ cache }) => cache !== 'stream',
)

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** The names of an operation's methods. The iterator of `wars.battles` is `wars.iterateBattles`, that of a `list` is `iterate`. */
export function methodNamesOf({ id }: Operation): { group: string; method: string; iterator: string } {
  const [group = '', method = ''] = id.split('.')
  return { group, method, iterator: method === 'list' ? 'iterate' : `iterate${capital(method)}` }
}

/** The name of the interface of an operation's parameters. */
export const parametersName = ({ id }: Operation): string =>
  `${id.split('.').map(capital).join('')}Parameters`

export const pathParameters = ({ parameters }: Operation) =>
  Object.entries(parameters).filter(([, parameter]) => parameter.in === 'path')

export const queryParameters = ({ parameters }: Operation) =>
  Object.entries(parameters).filter(([, parameter]) => parameter.in === 'query')

/** The client's cache policy. Requests with side effects are neither cached, shared nor retried. */
export const cachePolicyOf = ({ cache, allowsHead }: Operation): string =>
  cache === 'private' && !allowsHead ? 'non-idempotent' : cache

/** Operations by group, in the order of the reference. */
export function groups(): [group: string, operations: Operation[]][] {
  return [...Map.groupBy(requestOperations, operation => methodNamesOf(operation).group)]
}
