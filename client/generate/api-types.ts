import {
  comment,
  errors,
  type Operation,
  printMembers,
  printType,
  type PrintableSchema as Schema,
} from '@chancery/contract'

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
  returnedName,
  returnedSchema,
} from './described.ts'

/** Object types that several types have, by their members: name and description. */
const sharedTypes: Record<string, [name: string, description: string]> = {
  'nation_id,nation_name': ['NationReference', 'A nation, by id and name.'],
  'alliance_id,name,tag': ['AllianceReference', 'An alliance, by id, name and tag.'],
  'conflict_id,name': ['ConflictReference', 'A global conflict, by id and name.'],
  'era_id,name': ['EraReference', 'An era, by id and name.'],
  'nation_id,nation_name,alliance_id,alliance_name': [
    'WarSide',
    'A side of a war, as it was at the declaration.',
  ],
  'side,nation_id,nation_name,alliance_id,alliance_name,joined_at,left_at': [
    'WarParticipant',
    'A nation that takes part in a war besides its sides, as it was when it joined.',
  ],
  'attacker,defender': ['Losses', 'Losses of both sides, by kind of unit.'],
  'alliance_id,rank,alliances': ['AllianceMembership', 'The alliance of a nation, and its rank there.'],
  'key,label': ['ProfileTerm', 'A term of the game profile.'],
  'key,type,description,class,scope,unit,ranked': [
    'ProfileAttribute',
    'An additional field, from the game profile.',
  ],
}

/** The shared types that occur more than once with the same descriptions, by their printed members. */
function findSharedTypes(roots: readonly Schema[]): Map<string, { schema: Schema; name: string }> {
  const found = new Map<string, { schema: Schema; name: string; count: number }>()
  const visit = (schema: Schema) => {
    const children = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])]
    for (const child of children) {
      const [name] = sharedTypes[Object.keys(child.properties ?? {}).join()] ?? []
      if (name !== undefined) {
        const members = printMembers(child)
        found.set(members, { schema: child, name, count: (found.get(members)?.count ?? 0) + 1 })
      }
      visit(child)
    }
  }
  for (const root of roots) visit(root)
  const shared = [...found].filter(([, { count }]) => count > 1)
  const names = shared.map(([, { name }]) => name)
  if (new Set(names).size < names.length) throw new Error(`two types would be called the same: ${names}`)
  return new Map(shared)
}

const returnedResources = [...new Set(requestOperations.flatMap(({ returns }) => returns.resources))]
const shared = findSharedTypes([
  ...returnedResources.map(name => resourceSchema(name, 'public')),
  ...eventKinds.map(({ data }) => data),
])
const typeNames = new Map([...shared].map(([members, { name }]) => [members, name]))

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** The text of `src/api-types.ts`: the types of the contract. */
export function apiTypes(): string {
  return [
    '// Written by client/generate/main.ts from the contract. Change the contract, then run: npm run generate',
    `import type { CallOptions, Page } from './call-options.ts'`,
    ...[...shared.values()].map(sharedInterface),
    ...interfaces(),
    ...events(),
    pageParameters(),
    ...requestOperations.filter(hasParameters).map(parameters),
    ...requestOperations.filter(({ resourceBy }) => resourceBy).map(selectedItems),
    ...groups().map(([group, members]) => groupInterface(group, members)),
    `/** Every operation, by its id. */\nexport interface Operations {\n${groups()
      .map(([group]) => `${group}: ${capital(group)}Operations`)
      .join('\n')}\n}`,
    `/** Codes of the API's errors. */\nexport type ErrorCode = ${Object.keys(errors)
      .map(code => `'${code}'`)
      .join(' | ')}`,
  ].join('\n\n')
}

const interfaceText = (name: string, schema: Schema, parent?: string) =>
  `${comment(schema.description)}export interface ${name}${parent ? ` extends ${parent}` : ''} {\n${printMembers(schema, typeNames)}\n}`

function sharedInterface({ schema, name }: { schema: Schema; name: string }): string {
  const [, description = ''] = sharedTypes[Object.keys(schema.properties ?? {}).join()] ?? []
  return interfaceText(name, { ...schema, description })
}

/** The schema without the members of its parent. */
const withoutMembers = (schema: Schema, { properties: inherited = {} }: Schema): Schema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(([member]) => !(member in inherited)),
  ),
})

/** Whether a schema has all members of another, unchanged. */
function contains(schema: Schema, { properties = {} }: Schema): boolean {
  const own = Object.entries(schema.properties ?? {}).map(entry => JSON.stringify(entry))
  return Object.entries(properties).every(entry => own.includes(JSON.stringify(entry)))
}

/** One for each resource and view that an operation returns. The owner's view adds private fields. */
function interfaces(): string[] {
  const texts = new Map<string, string>()
  const written = new Map<string, Schema>()
  for (const { returns } of requestOperations) {
    for (const resource of returns.resources) {
      if (resource === 'event') continue
      const schema = resourceSchema(resource, 'public')
      const name = componentName(resource, 'public')
      const [parent, inherited] =
        [...written].find(([other, members]) => other !== name && contains(schema, members)) ?? []
      texts.set(name, interfaceText(name, inherited ? withoutMembers(schema, inherited) : schema, parent))
      written.set(name, schema)
      if (returns.narrowed) {
        const { component, neverNull } = returns.narrowed
        const narrowed = returnedSchema(resource, returns)
        const properties = Object.fromEntries(
          Object.entries(narrowed.properties ?? {}).filter(([field]) => neverNull.includes(field)),
        )
        texts.set(component, interfaceText(component, { ...narrowed, properties }, name))
      }
      if (returns.view === 'public') continue
      const owner = withoutMembers(resourceSchema(resource, returns.view), schema)
      const description = `${owner.description} With private sections: an absent section was withheld.`
      const ownerName = componentName(resource, returns.view)
      texts.set(ownerName, interfaceText(ownerName, { ...owner, description }, name))
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
      .map(({ type, description, data }) => `${comment(description)}'${type}': ${printType(data, typeNames)}`)
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

const pageMembers = ['page', 'limit']

function parameters(operation: Operation): string {
  const isPaged = operation.returns.isList
  const members = queryParameters(operation).filter(([name]) => !(isPaged && pageMembers.includes(name)))
  return parametersText(
    parametersName(operation),
    `Query parameters of \`${operation.id}\`.`,
    members,
    isPaged ? ' extends PageParameters' : '',
  )
}

/** The parameters of every list. */
function pageParameters(): string {
  const [list] = requestOperations.filter(({ returns }) => returns.isList)
  const members = list ? queryParameters(list).filter(([name]) => pageMembers.includes(name)) : []
  return parametersText('PageParameters', 'Query parameters of every list.', members)
}

function parametersText(
  name: string,
  description: string,
  parameters: ReturnType<typeof queryParameters>,
  parent = '',
): string {
  const properties = Object.fromEntries(
    parameters.map(([member, { schema, description }]) => [member, { ...(schema as Schema), description }]),
  )
  const members = printMembers({ properties }, undefined, true)
    .replace(/\?: (.*\[\])$/gm, '?: readonly $1')
    // For exactOptionalPropertyTypes.
    .replace(/^(\w+\?: .*)$/gm, '$1 | undefined')
  return members === ''
    ? `${comment(description)}export type ${name} = PageParameters`
    : `${comment(description)}export interface ${name}${parent} {\n${members}\n}`
}

function returned({ returns }: Operation): string {
  return returns.resources
    .map(resource => (resource === 'event' ? 'ChanceryEvent' : returnedName(returns, resource)))
    .join(' | ')
}

const selectedName = (operation: Operation) => parametersName(operation).replace(/Parameters$/, 'Items')

/** The types of items by the parameter that selects them. */
function selectedItems(operation: Operation): string {
  const { id, returns, resourceBy } = operation
  const members = Object.entries(resourceBy?.resources ?? {}).map(
    ([value, resource]) => `${value}: ${componentName(resource, returns.view)}`,
  )
  return `/** The items of \`${id}\`, by \`${resourceBy?.parameter}\`. */\nexport interface ${selectedName(operation)} {\n${members.join('\n')}\n}`
}

/** What a list returns: a type parameter, the option that determines it, and the type of its items. */
function listTypes(operation: Operation): { generic: string; selector: string; item: string } {
  const { resourceBy, parameters } = operation
  const parameter = resourceBy && parameters[resourceBy.parameter]
  if (!parameter) return { generic: '', selector: '', item: returned(operation) }
  const name = selectedName(operation)
  const { default: usual } = parameter.schema as { default?: string }
  return {
    generic: `<K extends keyof ${name}${usual === undefined ? '' : ` = '${usual}'`}>`,
    selector: `{ ${resourceBy.parameter}?: K | undefined } & `,
    item: `${name}[K]`,
  }
}

function groupInterface(group: string, members: Operation[]): string {
  const methods = members.map(operation => {
    const { method, iterator } = methodNamesOf(operation)
    const ids = pathParameters(operation).map(([name]) => `${name}: string, `)
    const more = hasParameters(operation) ? `${parametersName(operation)} & ` : ''
    const { generic, selector, item } = listTypes(operation)
    const taken = `${generic}(${ids.join('')}options?: ${more}${selector}CallOptions)`
    const { scope } = operation
    const needs =
      scope === 'none' ? '' : scope === 'key' ? ' Requires a key.' : ` Requires a key with \`${scope}\`.`
    const note = comment(`${operation.description}${needs}`)
    if (!operation.returns.isList) return `${note}${method}${taken}: Promise<${returned(operation)}>`
    const iteratorNote = comment(`The items of all pages of \`${operation.id}\`, up to 100 per request.`)
    return [
      `${note}${method}${taken}: Promise<Page<${item}>>`,
      `${iteratorNote}${iterator}${taken}: AsyncIterableIterator<${item}>`,
    ].join('\n')
  })
  return `/** ${members[0]?.tag}. */\nexport interface ${capital(group)}Operations {\n${methods.join('\n')}\n}`
}
