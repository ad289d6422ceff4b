import { type Contract, type FactResource, inputFields, type Resource } from '@chancery/contract'
import { type Database, raw, type Sql } from './database.ts'

/** Computes a value once for each contract. */
export function memoizeByContract<T>(make: (contract: Contract) => T): (owner: { contract: Contract }) => T {
  const made = new WeakMap<Contract, T>()
  return ({ contract }) => {
    const known = made.get(contract) ?? make(contract)
    made.set(contract, known)
    return known
  }
}

/**
 * The columns that facts fill, derived from the contract: `world` are the public ones, `secret` the others. A column has the name of its
 * field. Attributes are stored by class.
 */
export function factColumns(
  { resources }: Contract,
  name: FactResource,
): { world: string[]; secret: string[] } {
  const resource: Resource = resources[name]
  const own = inputFields(resource)
  const namesOf = (isPublic: boolean) =>
    own.filter(([, field]) => (field['x-class'] === 'public') === isPublic).map(([field]) => field)
  return {
    world: [...namesOf(true), ...('updated_at' in resource.fields ? ['updated_at'] : [])],
    secret: [
      ...namesOf(false),
      ...('attributes' in resource.fields ? ['attributes', 'admin_attributes'] : []),
    ],
  }
}

/** The columns of a resource's public fields, for a select list. `except`: fields that are stored in another form. */
export const publicColumns = (name: FactResource, alias: string, except: readonly string[] = []) =>
  memoizeByContract((contract): Sql => {
    const { fields }: Resource = contract.resources[name]
    const columns = factColumns(contract, name).world.filter(
      column => column in fields && !except.includes(column),
    )
    return raw(columns.map(column => `${alias}.${column}`).join(', '))
  })

/** The dependencies of reads. */
export interface ReadContext {
  pools: { readonly [K in 'public' | 'lookups' | 'search' | 'owner']: Database }
  contract: Contract
}

/** The URL of an item's page in the game, by the profile's template; null where the game has none. */
export const gamePageUrl = (template: string | null, id: string): string | null =>
  template === null ? null : template.replace('{id}', encodeURIComponent(id))
