import {
  type Contract,
  type Field,
  holdsScope,
  type PublicOf,
  type ReadableOf,
  type Resource,
  type Scope,
} from '@chancery/contract'

declare const disclosed: unique symbol
/** What its viewer may read, and no more. Only this folder makes it, and only it leaves the service. */
export type Disclosed<T> = T & { readonly [disclosed]: true }

/**
 * What a viewer is cleared for, with respect to one thing.
 * Scope and standing are both read on every call: neither alone opens anything.
 */
export interface Clearance {
  scopes: ReadonlySet<Scope>
  /** The thing is the nation that the viewer's player leads now. */
  isOwner: boolean
  /** The thing is an alliance whose treasury the viewer's player may see in the game now. */
  maySeeTreasury: boolean
}

export const publicClearance: Clearance = { scopes: new Set(), isOwner: false, maySeeTreasury: false }

/** Whether a field of a thing may be read. */
function mayRead(resource: Resource, field: Field, clearance: Clearance): boolean {
  const hasScope = field['x-scope'] !== undefined && holdsScope(clearance.scopes, field['x-scope'])
  switch (field['x-class']) {
    case 'public':
      return true
    case 'player_private':
      return clearance.isOwner && hasScope
    case 'alliance_private':
      // What an alliance keeps about a single nation is that nation's; what it keeps about itself is its members'.
      return hasScope && (resource.name === 'alliance' ? clearance.maySeeTreasury : clearance.isOwner)
    default:
      return false
  }
}

/** What a clearance opens of a thing besides what everybody may read. Nothing else that is private is read from the database. */
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
  /** What everybody may read of a thing. */
  toPublic<N extends Names>(
    name: N,
    thing: PublicOf<Contract['resources'][N]>,
  ): Disclosed<PublicOf<Contract['resources'][N]>>
  /** What a cleared viewer may read of a thing. */
  toViewer<N extends Names>(
    name: N,
    thing: PublicOf<Contract['resources'][N]> & Partial<ReadableOf<Contract['resources'][N]>>,
    clearance: Clearance,
  ): Disclosed<ReadableOf<Contract['resources'][N]>>
}

type Thing = Record<string, unknown>

export function createDisclosure({ resources }: Contract): Disclosure {
  const publicNames = new Map<string, string[]>(
    Object.entries(resources).map(([name, resource]) => [name, namesFor(resource, publicClearance)]),
  )
  return {
    toPublic(name, thing) {
      const source = thing as Thing
      const shown: Thing = {}
      for (const fieldName of publicNames.get(name) ?? []) shown[fieldName] = source[fieldName]
      return withAttributes(resources[name], shown, publicClearance) as never
    },
    toViewer(name, thing, clearance) {
      const source = thing as Thing
      const resource = resources[name]
      const shown: Thing = {}
      for (const fieldName of namesFor(resource, clearance)) shown[fieldName] = source[fieldName]
      return withCurrentAssignments(withAttributes(resource, shown, clearance)) as never
    },
  }
}

const namesFor = (resource: Resource, clearance: Clearance) =>
  Object.entries(resource.fields)
    .filter(([, field]) => mayRead(resource, field, clearance))
    .map(([fieldName]) => fieldName)

/** Members of `attributes` have each a class of their own; one that has none shares that of `attributes`. */
function withAttributes(resource: Resource, shown: Thing, clearance: Clearance): Thing {
  const { properties } = (resource.fields.attributes ?? {}) as { properties?: Record<string, Field> }
  const values = shown.attributes
  if (!properties || typeof values !== 'object' || values === null) return shown
  const readable = Object.entries(values).filter(([key]) => {
    const field = properties[key]
    return field !== undefined && (field['x-class'] === undefined || mayRead(resource, field, clearance))
  })
  return { ...shown, attributes: Object.fromEntries(readable) }
}

/** An assignment is shown only while the nation is a member of the alliance that made it. */
function withCurrentAssignments(shown: Thing): Thing {
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
