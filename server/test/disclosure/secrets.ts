import {
  type Contract,
  type FactResource,
  factResources,
  primaryKeys,
  type Resource,
} from '@chancery/contract'
import fc from 'fast-check'
import type { Fact } from '../support/test-server.ts'
import { makesStandingOf, mayKnow } from './clearance.ts'
import { fill, isHidden, labelOf, type Slot, slotsOf } from './slots.ts'
import { valuesOf } from './values.ts'
import { isViewersPlayer, type Viewer } from './viewers.ts'
import { batchCount, bornIn, exists, ids, mergeInto, type Script } from './world.ts'

/** The value of a hidden slot of one row in one batch. */
interface Secret {
  slot: Slot
  id: string
  batch: number
  value: unknown
}

/** Where a secret is sent: in a fact with public fields, in a fact of its own, or in a batch of its own. */
type Place = 'within' | 'beside' | 'apart'

/** All secrets of one world, and in which batch each kind of place is used. */
export interface Secrets {
  values: Secret[]
  places: Place[]
  /** Facts about rows without public fields. */
  unseen: { batch: number; fact: Fact }[]
}

/** A resource without public fields: not even the existence of a row is public. */
const isUnseen = (contract: Contract, resource: FactResource): boolean => {
  const { fields, factFields }: Resource = contract.resources[resource]
  return Object.values({ ...fields, ...factFields }).every(field => field['x-class'] !== 'public')
}

const idsOf: Partial<Record<FactResource, string[]>> = {
  nation: ids.nation,
  alliance: ids.alliance,
  alliance_member: ids.nation.filter(id => !['n_applicant', 'n_taken', 'n_reborn', 'n_filler'].includes(id)),
}

/** Every hidden slot of every row of the world, derived from the contract. Throws for a resource with hidden fields and no rows. */
function hiddenSlots(contract: Contract): { slot: Slot; id: string }[] {
  return factResources
    .filter(resource => !isUnseen(contract, resource))
    .flatMap(resource =>
      slotsOf(contract, resource)
        .filter(isHidden)
        .flatMap(slot => {
          const rowIds = idsOf[resource]
          if (!rowIds) throw new Error(`${resource} has hidden fields, and no rows in this world`)
          return rowIds.map(id => ({ slot, id }))
        }),
    )
}

/** The secrets of a world: values for most hidden slots, in random batches and places. */
export function secretsOf(contract: Contract): fc.Arbitrary<Secrets> {
  const bySlot = hiddenSlots(contract).map(({ slot, id }) => {
    const values = valuesOf(slot.schema).filter(value => !isViewersPlayer(value))
    return fc
      .array(fc.option(values, { freq: 2, nil: undefined }), { minLength: batchCount, maxLength: batchCount })
      .map(batches =>
        batches.flatMap((value, batch) =>
          value === undefined || !exists(id, batch) ? [] : [{ slot, id, batch, value }],
        ),
      )
  })
  const unseen = factResources
    .filter(resource => isUnseen(contract, resource))
    .map(resource => fc.array(unseenFact(contract, resource), { maxLength: 12 }))
  return fc.record({
    values: fc.tuple(...bySlot).map(list => list.flat()),
    places: fc.array(fc.constantFrom<Place>('within', 'beside', 'apart'), {
      minLength: batchCount,
      maxLength: batchCount,
    }),
    unseen: fc.tuple(...unseen).map(list => list.flat()),
  })
}

function unseenFact(contract: Contract, resource: FactResource) {
  const key = fc.constantFrom(...ids.nation)
  const slots = slotsOf(contract, resource)
  const values = fc.record(Object.fromEntries(slots.map(({ path, schema }) => [path[0], valuesOf(schema)])))
  const put = fc
    .tuple(key, values)
    .map(([id, data]) => ({ op: 'put', resource, data: { ...data, [primaryKeys[resource]]: id } }))
  const remove = key.map(id => ({ op: 'delete', resource, id }))
  return fc.record({
    batch: fc.integer({ min: 0, max: batchCount - 1 }),
    fact: fc.oneof({ weight: 4, arbitrary: put }, { weight: 1, arbitrary: remove }),
  })
}

/**
 * Two worlds that are the same to each of the viewers: what one of them may know is taken from the first, and what makes
 * their standing is left to the script.
 */
export function alikeFor(viewers: readonly Viewer[], one: Secrets, other: Secrets): [Secrets, Secrets] {
  const isFree = ({ slot, id, batch }: Secret) =>
    !viewers.some(viewer => makesStandingOf(viewer, slot, id, batch))
  const knower = ({ slot, id, batch }: Secret) =>
    viewers.find(viewer => batch >= bornIn(id) && mayKnow(viewer, slot, id))
  const nameOf = ({ slot, id, batch }: Secret) => `${batch} ${labelOf(slot, id)}`
  const elsewhere = new Map(other.values.map(secret => [nameOf(secret), secret.value]))
  const known = one.values.flatMap(secret => {
    const viewer = knower(secret)
    return viewer
      ? [{ ...secret, value: onlyOwnAlike(secret, viewer.alliance, elsewhere.get(nameOf(secret))) }]
      : []
  })
  return [
    { ...one, values: one.values.filter(isFree) },
    { ...other, values: [...other.values.filter(secret => isFree(secret) && !knower(secret)), ...known] },
  ]
}

/** The owner of a nation does not see assignments of other alliances. */
function onlyOwnAlike({ slot, value }: Secret, alliance: string | undefined, other: unknown): unknown {
  if (slot.path[0] !== 'assignments' || !Array.isArray(value)) return value
  const isOwn = (assignment: { alliance_id: string }) => assignment.alliance_id === alliance
  const foreign = Array.isArray(other) ? other.filter(assignment => !isOwn(assignment)) : []
  return [...foreign, ...value.filter(isOwn)]
}

/** A batch as a game sends it; `isSecret` if nothing in it is public. */
export interface FactBatch {
  facts: Fact[]
  isSecret: boolean
}

/** The batches of a world: public facts, with the secrets in their places. */
export function factBatchesOf(script: Script, { values, places, unseen }: Secrets): FactBatch[][] {
  return script.map((facts, batch) => {
    const place = places[batch] ?? 'beside'
    const secret = new Map<string, { slot: Slot; id: string; data: Record<string, unknown> }>()
    for (const { slot, id, value } of values.filter(each => each.batch === batch)) {
      const name = `${slot.resource} ${id}`
      const known = secret.get(name) ?? { slot, id, data: {} }
      secret.set(name, { ...known, data: mergeInto(known.data, fill(slot.path, value)) })
    }
    const hidden = unseen.filter(each => each.batch === batch).map(({ fact }) => fact)
    if (place === 'within') {
      const withSecret = facts.map(fact => withSecrets(fact, secret))
      return [{ facts: [...withSecret, ...factsOf(secret, batch), ...hidden], isSecret: false }]
    }
    const apart = [...factsOf(secret, batch), ...hidden]
    if (place === 'beside') return [{ facts: [...facts, ...apart], isSecret: false }]
    return [{ facts, isSecret: false }, ...(apart.length > 0 ? [{ facts: apart, isSecret: true }] : [])]
  })
}

type Said = Map<string, { slot: Slot; id: string; data: Record<string, unknown> }>

function withSecrets(fact: Fact, secret: Said): Fact {
  const data = fact.data as { id?: string; nation_id?: string } | undefined
  const name = `${fact.resource} ${data?.id ?? data?.nation_id}`
  const found = fact.op === 'put' ? secret.get(name) : undefined
  if (!found) return fact
  secret.delete(name)
  return { ...fact, data: mergeInto({ ...data }, found.data) }
}

/** Facts with secrets have a time too. */
const factsOf = (secret: Said, batch: number): Fact[] =>
  [...secret.values()].map(({ slot: { resource }, id, data }) => ({
    op: 'put',
    resource,
    data: { [primaryKeys[resource]]: id, ...data },
    at: `2026-07-1${batch}T00:00:00Z`,
  }))
