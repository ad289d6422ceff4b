import { errors, type Operation } from '@chancery/contract'
import type { Schema } from './common-schema.ts'
import {
  componentName,
  eventKinds,
  groups,
  methodNamesOf,
  parametersName,
  pathParameters,
  queryParameters,
  requestOperations,
  resourceSchema,
} from './described.ts'
import { comment, printMembers, printType } from './print-type.ts'

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** The text of `src/api-types.ts`: the types of the contract. */
export function apiTypes(): string {
  return [
    '// Written by client/generate/main.ts from the contract. Change the contract, then run: npm run generate',
    `import type { CallOptions, Page } from './call-options.ts'`,
    ...interfaces(),
    ...events(),
    ...requestOperations.filter(hasParameters).map(parameters),
    ...groups().map(([group, members]) => groupInterface(group, members)),
    `/** Every operation, by its id. */\nexport interface Operations {\n${groups()
      .map(([group]) => `${group}: ${capital(group)}Operations`)
      .join('\n')}\n}`,
    `/** Codes of the API's errors. */\nexport type ErrorCode = ${Object.keys(errors)
      .map(code => `'${code}'`)
      .join(' | ')}`,
  ].join('\n\n')
}

const interfaceText = (name: string, schema: Schema, parent = '') =>
  `${comment(schema.description)}export interface ${name}${parent} {\n${printMembers(schema)}\n}`

/** One for each resource and view that an operation returns. The owner's view adds private fields. */
function interfaces(): string[] {
  const texts = new Map<string, string>()
  for (const { returns } of requestOperations) {
    for (const resource of returns.resources) {
      if (resource === 'event') continue
      const publicSchema = resourceSchema(resource, 'public')
      const name = componentName(resource, 'public')
      texts.set(name, interfaceText(name, publicSchema))
      if (returns.view === 'public') continue
      const owner = resourceSchema(resource, returns.view)
      const added = Object.entries(owner.properties ?? {}).filter(
        ([member]) => !(member in (publicSchema.properties ?? {})),
      )
      const ownerName = componentName(resource, returns.view)
      const description = `${owner.description} With private sections: an absent section was withheld.`
      const extra = { ...owner, description, properties: Object.fromEntries(added) }
      texts.set(ownerName, interfaceText(ownerName, extra, ` extends ${name}`))
    }
  }
  return [...texts.values()]
}

/** Events are discriminated by `type`. Kinds of a game and unknown kinds come last. */
function events(): string[] {
  const event = resourceSchema('event', 'public')
  const { type: _type, data: _data, ...common } = event.properties ?? {}
  return [
    interfaceText('EventCommon', { ...event, properties: common }),
    `/** The \`data\` of each kind of event. */\nexport interface EventDataOf {\n${eventKinds
      .map(({ type, description, data }) => `${comment(description)}'${type}': ${printType(data)}`)
      .join('\n')}\n}`,
    '/** A kind of event that every game has. */\nexport type EventType = keyof EventDataOf',
    '/** An event of one kind. */\nexport type EventOf<K extends EventType> = EventCommon & { type: K; data: EventDataOf[K] }',
    '/** An event of a kind that the game added; `/game` describes it. */\nexport type GameEvent = EventCommon & { type: `game.$' +
      '{string}`; data: Record<string, unknown> }',
    '/** An event of a kind that is newer than this client. Its real `type` is any other text. */\nexport type LaterEvent = EventCommon & { type: "(a later kind)"; data: Record<string, unknown> }',
    '/** An event. Check `type`, and ignore unknown kinds. */\nexport type ChanceryEvent = { [K in EventType]: EventOf<K> }[EventType] | GameEvent | LaterEvent',
  ]
}

const hasParameters = (operation: Operation) => queryParameters(operation).length > 0

function parameters(operation: Operation): string {
  const properties = Object.fromEntries(
    queryParameters(operation).map(([name, { schema, description }]) => [
      name,
      { ...(schema as Schema), description },
    ]),
  )
  const members = printMembers({ properties }, true)
    .replace(/\?: (\(.*\)\[\])$/gm, '?: readonly $1')
    // For exactOptionalPropertyTypes.
    .replace(/^(\w+\?: .*)$/gm, '$1 | undefined')
  return `${comment(`Query parameters of \`${operation.id}\`.`)}export interface ${parametersName(operation)} {\n${members}\n}`
}

function returned({ returns }: Operation): string {
  return returns.resources
    .map(resource => (resource === 'event' ? 'ChanceryEvent' : componentName(resource, returns.view)))
    .join(' | ')
}

function groupInterface(group: string, members: Operation[]): string {
  const methods = members.map(operation => {
    const { method, iterator } = methodNamesOf(operation)
    const ids = pathParameters(operation).map(([name]) => `${name}: string, `)
    const more = hasParameters(operation) ? `${parametersName(operation)} & ` : ''
    const taken = `(${ids.join('')}options?: ${more}CallOptions)`
    const { scope } = operation
    const needs =
      scope === 'none' ? '' : scope === 'key' ? ' Requires a key.' : ` Requires a key with \`${scope}\`.`
    const note = comment(`${operation.description}${needs}`)
    if (!operation.returns.isList) return `${note}${method}${taken}: Promise<${returned(operation)}>`
    const iteratorNote = comment(`The items of all pages of \`${operation.id}\`, up to 100 per request.`)
    return [
      `${note}${method}${taken}: Promise<Page<${returned(operation)}>>`,
      `${iteratorNote}${iterator}${taken}: AsyncIterableIterator<${returned(operation)}>`,
    ].join('\n')
  })
  return `/** ${members[0]?.tag}. */\nexport interface ${capital(group)}Operations {\n${methods.join('\n')}\n}`
}
