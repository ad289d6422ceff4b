import {
  type Class,
  type Contract,
  type FactResource,
  primaryKeys,
  type Resource,
  type Scope,
} from '@chancery/contract'

/** A JSON schema as far as the tests here look into it. */
export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  format?: string
  'x-class'?: Class
  'x-scope'?: Scope
  'x-decimals'?: number
  'x-line'?: boolean
  'x-derived'?: boolean
}

/** A place in a fact that has one class: a field, or a member of a field whose members have classes of their own. */
export interface Slot {
  resource: FactResource
  path: string[]
  /** What the game may send there. */
  schema: Schema
  fieldClass: Class
  scope: Scope | undefined
}

/** Every place that the game may fill in facts about a resource, but the key. Follows the contract, so a new field is a new slot. */
export function slotsOf(contract: Contract, resource: FactResource): Slot[] {
  const { fields, factFields }: Resource = contract.resources[resource]
  const classified: Record<string, Schema> = { ...fields, ...factFields }
  const supplied: Record<string, Schema> = contract.factSchemas[resource].properties
  return Object.entries(supplied)
    .filter(([name]) => name !== primaryKeys[resource])
    .flatMap(([name, schema]) => {
      const field = classified[name]
      return field ? leaves(resource, [name], field, schema) : []
    })
}

function leaves(resource: FactResource, path: string[], field: Schema, schema: Schema): Slot[] {
  const members = Object.entries(field.properties ?? {}).filter(([, member]) => member['x-class'])
  const fieldClass = field['x-class']
  if (!fieldClass) throw new Error(`${resource}.${path.join('.')} has no class`)
  if (fieldClass === 'public' && (members.length > 0 || name(path) === 'attributes'))
    return members.flatMap(([key, member]) =>
      leaves(resource, [...path, key], member, schema.properties?.[key] ?? member),
    )
  return [{ resource, path, schema, fieldClass, scope: field['x-scope'] }]
}

const name = (path: string[]) => path.at(-1)

export const isHidden = ({ fieldClass }: Slot): boolean => fieldClass !== 'public'

/** The name of a slot of one row, as in `nation n1 military`. */
export const labelOf = (slot: Slot, id: string): string => `${slot.resource} ${id} ${slot.path.join('.')}`

/** The data of a fact that fills a slot: `{ attributes: { mood: 3 } }`. */
export function fill(path: readonly string[], value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = path
  return { [first]: rest.length > 0 ? fill(rest, value) : value }
}
