import {
  accountOperations,
  type Contract,
  classes,
  type Exploration,
  readableSchema,
  scopeNames,
} from '@chancery/contract'
import fastJson from 'fast-json-stringify'
import { type Clearance, createDisclosure, privateFieldsFor } from '../disclosure/disclosure.ts'
import { notFound } from '../http/http-error.ts'
import { lazy } from '../http/lazy.ts'
import { createFindAlliance, findAllianceWithTreasury, maySeeTreasury } from '../resources/alliances/store.ts'
import { createFindNation, createFindNationOfPlayer } from '../resources/nations/store.ts'
import type { ReadContext } from '../store/fact-columns.ts'
import type { AccountContext, Definers } from './context.ts'

type ExploredResource = Exploration['resource']

/** A viewer whose key has all scopes, without any relation to the item. */
const otherPlayer: Clearance = { scopes: new Set(scopeNames), isOwner: false, maySeeTreasury: false }

/** Shows players an item as others see it and as they see it themselves. */
export function exploreRoutes({ player }: Definers, context: AccountContext): void {
  const explore = createExplore(context)
  player(accountOperations.exploreGet, async ({ session: { playerId }, query: { kind, id } }) => {
    const exploration = await explore(playerId, kind, id)
    if (!exploration) throw notFound(kind)
    return exploration
  })
}

/** The views of an item; undefined for an unknown one. */
type Explore = (playerId: string, resource: ExploredResource, id: string) => Promise<Exploration | undefined>

/** Views of others are read by a database role without access to secrets. The player's view passes through disclosure, as in the API. */
function createExplore(context: ReadContext): Explore {
  const { contract } = context
  const disclose = createDisclosure(contract)
  const fields = { nation: fieldsOf(contract, 'nation'), alliance: fieldsOf(contract, 'alliance') }
  const times = {
    nation: timesIn(readableSchema(contract.resources.nation, 'owner')),
    alliance: timesIn(readableSchema(contract.resources.alliance, 'owner')),
  }
  const findNation = createFindNation(context)
  const findNationOfPlayer = createFindNationOfPlayer(context)
  const findAlliance = createFindAlliance(context)
  const serializers = {
    nation: serializerOf(contract, 'nation'),
    alliance: serializerOf(contract, 'alliance'),
  }

  async function nationViews(playerId: string, id: string) {
    const seen = await findNation(id)
    if (!seen) return undefined
    const clearance = { ...otherPlayer, isOwner: true }
    const own = await findNationOfPlayer(playerId, privateFieldsFor(contract.resources.nation, clearance))
    const self = own?.id === id ? disclose.toViewer('nation', own, clearance) : undefined
    const others = disclose.toViewer('nation', seen, otherPlayer)
    return { anonymous: disclose.toPublic('nation', seen), stranger: others, self: self ?? others }
  }

  async function allianceViews(playerId: string, id: string) {
    const seen = await findAlliance(id)
    if (!seen) return undefined
    const isEntitled = await maySeeTreasury(context, playerId, id)
    const clearance = { ...otherPlayer, maySeeTreasury: isEntitled }
    const opened = privateFieldsFor(contract.resources.alliance, clearance)
    const own = isEntitled ? await findAllianceWithTreasury(context, id, opened) : undefined
    const self = own && disclose.toViewer('alliance', own, clearance)
    const others = disclose.toViewer('alliance', seen, otherPlayer)
    return { anonymous: disclose.toPublic('alliance', seen), stranger: others, self: self ?? others }
  }

  return async (playerId, resource, id) => {
    const views = await (resource === 'nation' ? nationViews : allianceViews)(playerId, id)
    if (!views) return undefined
    const serialize = serializers[resource]
    return {
      resource,
      id,
      fields: fields[resource],
      times: times[resource],
      views: {
        anonymous: serialize(views.anonymous),
        stranger: serialize(views.stranger),
        self: serialize(views.self),
      },
    }
  }
}

/** Drops members that the contract does not name, at any depth, as the API does. */
function serializerOf(contract: Contract, resource: ExploredResource): (view: object) => object {
  const write = lazy(() => fastJson(readableSchema(contract.resources[resource], 'owner') as object))
  return view => JSON.parse(write()(view))
}

type Schema = ReturnType<typeof readableSchema>

/** All readable fields, and each attribute, which has a class of its own. Fields without a reader are left out. */
function fieldsOf({ resources }: Contract, resource: ExploredResource): Exploration['fields'] {
  const { properties = {} } = readableSchema(resources[resource], 'owner')
  return Object.entries(properties).flatMap(([name, field]) => {
    const members = name === 'attributes' ? Object.entries(field.properties ?? {}) : []
    return [
      described(name, field),
      ...members.map(([member, schema]) => described(`${name}.${member}`, schema)),
    ]
  })
}

/** The paths of members with a time. Items of a list have the path of the list. */
const timesIn = ({ format, properties = {}, items }: Schema, path: string[] = []): string[] => [
  ...(format === 'date-time' ? [path.join('.')] : []),
  ...Object.entries(properties).flatMap(([name, member]) => timesIn(member, [...path, name])),
  ...(items ? timesIn(items, path) : []),
]

function described(name: string, schema: Schema): Exploration['fields'][number] {
  const fieldClass = classes.find(known => known === schema['x-class'])
  if (!fieldClass) throw new Error(`${name} has no class`)
  const scope = scopeNames.find(known => known === schema['x-scope']) ?? null
  return { name, class: fieldClass, scope, description: schema.description ?? '' }
}
