import {
  componentName,
  contractFor,
  demoProfile,
  limits,
  type Operation,
  operations,
  type ResourceName,
  type Returns,
  readableSchema,
} from '@chancery/contract'
import { commonSchema, type Schema } from './common-schema.ts'
import { otherGame } from './other-game.ts'

const demo = contractFor(demoProfile)
const other = contractFor(otherGame)

/** What one of a resource's views looks like in any game. */
export const resourceSchema = (name: ResourceName, view: Returns['view']): Schema =>
  commonSchema(
    readableSchema(demo.resources[name], view) as Schema,
    readableSchema(other.resources[name], view) as Schema,
  )

export { componentName, limits }

/** Kinds that any game tells: its own come with its profile. */
export const eventKinds = Object.entries(demo.eventKinds)
  .filter(([type]) => type in other.eventKinds)
  .map(([type, { description, data }]) => ({
    type,
    description,
    data: commonSchema(data as Schema, (other.eventKinds[type]?.data ?? {}) as Schema),
  }))

/** Every operation that is answered as a whole: the stream is followed by hand. */
export const callable: Operation[] = Object.values<Operation>(operations).filter(
  ({ cache }) => cache !== 'stream',
)

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** Where an operation stands in the client. `wars.battles` is walked by `wars.iterateBattles`, and a `list` by `iterate`. */
export function placeOf({ id }: Operation): { group: string; method: string; iterator: string } {
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

/** How the client may keep an answer: a call that has effects is made once, and is nobody else's. */
export const cachePolicyOf = ({ cache, allowsHead }: Operation): string =>
  cache === 'private' && !allowsHead ? 'once' : cache

/** Operations by their place, in the order of the reference. */
export function groups(): [group: string, operations: Operation[]][] {
  return [...Map.groupBy(callable, operation => placeOf(operation).group)]
}
