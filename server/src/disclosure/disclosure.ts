/**
 * Disclosure: reduces data to what a viewer may read, by the class of each field in the contract. Pure functions without I/O. `Disclosed<T>` is the
 * only type that handlers of the public API can return.
 */
import {
  type Contract,
  type Field,
  holdsScope,
  type PublicOf,
  type ReadableOf,
  type Resource,
  readableSchema,
  type Scope,
} from '@chancery/contract'
import fastJson from 'fast-json-stringify'

declare const disclosed: unique symbol
/**
 * A value reduced to what its viewer may read. Only this file creates it. Handlers of the public API return nothing else; streams and
 * webhooks send JSON that `createItemSerializer` makes of it. The account and operator APIs also have views of their own.
 */
export type Disclosed<T> = T & { readonly [disclosed]: true }

/**
 * What a viewer is cleared for with respect to one item. Scope and entitlement are read for every request, and a private field requires
 * both.
 */
export interface Clearance {
  scopes: ReadonlySet<Scope>
  /** The item is the nation that the viewer's player leads now. */
  isOwner: boolean
  /** The item is an alliance whose treasury the viewer's player may see in the game now. */
  maySeeTreasury: boolean
}

export const publicClearance: Clearance = { scopes: new Set(), isOwner: false, maySeeTreasury: false }

/** Whether a field of an item may be read. */
function mayRead(resource: Resource, field: Field, clearance: Clearance): boolean {
  const hasScope = field['x-scope'] !== undefined && holdsScope(clearance.scopes, field['x-scope'])
  switch (field['x-class']) {
    case 'public':
      return true
    case 'player_private':
      return clearance.isOwner && hasScope
    case 'alliance_private':
      // An alliance's data about a nation belongs to that nation; its data about itself belongs to its members.
      return hasScope && (resource.name === 'alliance' ? clearance.maySeeTreasury : clearance.isOwner)
    default:
      return false
  }
}

/** The private fields and attributes that a clearance allows. No other private data is read from the database. */
export interface PrivateFields {
  fields: string[]
  attributes: string[]
}

export function privateFieldsFor(resource: Resource, clearance: Clearance): PrivateFields {
  const { attributes } = resource.fields as { attributes?: { properties?: Record<string, Field> } }
  const opened = (fields: Record<string, Field>) =>
    Object.entries(fields)
      .filter(([, field]) => field['x-class'] !== 'public' && mayRead(resource, field, clearance))
      .map(([name]) => name)
  return { fields: opened(resource.fields), attributes: opened(attributes?.properties ?? {}) }
}

type Names = keyof Contract['resources']

export interface Disclosure {
  /** The public view of an item. */
  toPublic<N extends Names>(
    name: N,
    item: PublicOf<Contract['resources'][N]>,
  ): Disclosed<PublicOf<Contract['resources'][N]>>
  /** The view of an item for a cleared viewer. */
  toViewer<N extends Names>(
    name: N,
    item: PublicOf<Contract['resources'][N]> & Partial<ReadableOf<Contract['resources'][N]>>,
    clearance: Clearance,
  ): Disclosed<ReadableOf<Contract['resources'][N]>>
}

type Item = Record<string, unknown>

export function createDisclosure({ resources }: Contract): Disclosure {
  const publicNames = new Map<string, string[]>(
    Object.entries(resources).map(([name, resource]) => [name, namesFor(resource, publicClearance)]),
  )
  return {
    toPublic(name, item) {
      const source = item as Item
      const shown: Item = {}
      for (const fieldName of publicNames.get(name) ?? []) shown[fieldName] = source[fieldName]
      return withAttributes(resources[name], shown, publicClearance) as never
    },
    toViewer(name, item, clearance) {
      const source = item as Item
      const resource = resources[name]
      const shown: Item = {}
      for (const fieldName of namesFor(resource, clearance)) shown[fieldName] = source[fieldName]
      return withCurrentAssignments(withAttributes(resource, shown, clearance)) as never
    },
  }
}

const namesFor = (resource: Resource, clearance: Clearance) =>
  Object.entries(resource.fields)
    .filter(([, field]) => mayRead(resource, field, clearance))
    .map(([fieldName]) => fieldName)

/** Each member of `attributes` has its own class; one without a class has that of `attributes`. */
function withAttributes(resource: Resource, shown: Item, clearance: Clearance): Item {
  const { properties } = (resource.fields.attributes ?? {}) as { properties?: Record<string, Field> }
  const values = shown.attributes
  if (!properties || typeof values !== 'object' || values === null) return shown
  const readable = Object.entries(values).filter(([key]) => {
    const field = properties[key]
    return field !== undefined && (field['x-class'] === undefined || mayRead(resource, field, clearance))
  })
  return { ...shown, attributes: Object.fromEntries(readable) }
}

/** Keeps the assignments of the alliance that the nation is a member of. */
function withCurrentAssignments(shown: Item): Item {
  const { assignments, alliance } = shown as {
    assignments?: { alliance_id: string }[] | null
    alliance?: { alliance_id: string } | null
  }
  if (!assignments) return shown
  return {
    ...shown,
    assignments: assignments.filter(({ alliance_id }) => alliance_id === alliance?.alliance_id),
  }
}

/** Writes the public view of an item as JSON. */
export type SerializeItem<N extends Names> = (item: PublicOf<Contract['resources'][N]>) => string
export type SerializeEvent = SerializeItem<'event'>

/** The serializer of items for streams, webhooks and snapshots: byte for byte the JSON of the API. */
export function createItemSerializer<N extends Names>(contract: Contract, name: N): SerializeItem<N> {
  const disclose = createDisclosure(contract)
  const write = fastJson(readableSchema(contract.resources[name], 'public') as object)
  return item => write(disclose.toPublic(name, item))
}
