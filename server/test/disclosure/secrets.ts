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
import { batchCount, bornIn, ids, isThere, mergeInto, type Script } from './world.ts'

/** What is said in secret of one slot of one thing in one batch. */
interface Secret {
  slot: Slot
  id: string
  batch: number
  value: unknown
}

/** Where a secret stands: in the fact that tells something public, in one of its own, or in a batch of its own. */
type Place = 'within' | 'beside' | 'apart'

/** All secrets of one world, and in which batch each kind of place is used. */
export interface Secrets {
  said: Secret[]
  places: Place[]
  /** Facts about things of which nothing is public. */
  unseen: { batch: number; fact: Fact }[]
}

/** A resource of which everybody may know nothing, not even that the thing is there. */
const isUnseen = (contract: Contract, resource: FactResource): boolean => {
  const { fields, factFields }: Resource = contract.resources[resource]
  return Object.values({ ...fields, ...factFields }).every(field => field['x-class'] !== 'public')
}

const thingsOf: Partial<Record<FactResource, string[]>> = {
  nation: ids.nation,
  alliance: ids.alliance,
  alliance_member: ids.nation.filter(id => !['n_applicant', 'n_taken', 'n_reborn', 'n_filler'].includes(id)),
}

/** Every hidden slot of every thing of the world. A new hidden field is in it; a resource with one that is not in the world fails. */
function hiddenSlots(contract: Contract): { slot: Slot; id: string }[] {
  return factResources
    .filter(resource => !isUnseen(contract, resource))
    .flatMap(resource =>
      slotsOf(contract, resource)
        .filter(isHidden)
        .flatMap(slot => {
          const things = thingsOf[resource]
          if (!things) throw new Error(`${resource} has hidden fields, and nothing in the world fills them`)
          return things.map(id => ({ slot, id }))
        }),
    )
}

/** The secrets of a world: some values in most hidden slots, at some time, said in one way or another. */
export function secretsOf(contract: Contract): fc.Arbitrary<Secrets> {
  const said = hiddenSlots(contract).map(({ slot, id }) => {
    const values = valuesOf(slot.schema).filter(value => !isViewersPlayer(value))
    return fc
      .array(fc.option(values, { freq: 2, nil: undefined }), { minLength: batchCount, maxLength: batchCount })
      .map(batches =>
        batches.flatMap((value, batch) =>
          value === undefined || !isThere(id, batch) ? [] : [{ slot, id, batch, value }],
        ),
      )
  })
  const unseen = factResources
    .filter(resource => isUnseen(contract, resource))
    .map(resource => fc.array(unseenFact(contract, resource), { maxLength: 12 }))
  return fc.record({
    said: fc.tuple(...said).map(list => list.flat()),
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
  const said = fc.record(Object.fromEntries(slots.map(({ path, schema }) => [path[0], valuesOf(schema)])))
  const put = fc
    .tuple(key, said)
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
  const elsewhere = new Map(other.said.map(secret => [nameOf(secret), secret.value]))
  const known = one.said.flatMap(secret => {
    const viewer = knower(secret)
    return viewer
      ? [{ ...secret, value: onlyOwnAlike(secret, viewer.alliance, elsewhere.get(nameOf(secret))) }]
      : []
  })
  return [
    { ...one, said: one.said.filter(isFree) },
    { ...other, said: [...other.said.filter(secret => isFree(secret) && !knower(secret)), ...known] },
  ]
}

/** What another alliance asks of a nation is none of its owner's business. */
function onlyOwnAlike({ slot, value }: Secret, alliance: string | undefined, other: unknown): unknown {
  if (slot.path[0] !== 'assignments' || !Array.isArray(value)) return value
  const isOwn = (assignment: { alliance_id: string }) => assignment.alliance_id === alliance
  const foreign = Array.isArray(other) ? other.filter(assignment => !isOwn(assignment)) : []
  return [...foreign, ...value.filter(isOwn)]
}

/** A batch as a game sends it; `isSecret` where nothing in it is for everybody. */
export interface FactBatch {
  facts: Fact[]
  isSecret: boolean
}

/** The batches of a world: what is public, with its secrets in their places. */
export function factBatchesOf(script: Script, { said, places, unseen }: Secrets): FactBatch[][] {
  return script.map((facts, batch) => {
    const place = places[batch] ?? 'beside'
    const secret = new Map<string, { slot: Slot; id: string; data: Record<string, unknown> }>()
    for (const { slot, id, value } of said.filter(each => each.batch === batch)) {
      const name = `${slot.resource} ${id}`
      const known = secret.get(name) ?? { slot, id, data: {} }
      secret.set(name, { ...known, data: mergeInto(known.data, fill(slot.path, value)) })
    }
    const hidden = unseen.filter(each => each.batch === batch).map(({ fact }) => fact)
    if (place === 'within') {
      const told = facts.map(fact => withSecrets(fact, secret))
      return [{ facts: [...told, ...factsOf(secret, batch), ...hidden], isSecret: false }]
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

/** A secret has a time like everything else: the time of a change that nobody sees. */
const factsOf = (secret: Said, batch: number): Fact[] =>
  [...secret.values()].map(({ slot: { resource }, id, data }) => ({
    op: 'put',
    resource,
    data: { [primaryKeys[resource]]: id, ...data },
    at: `2026-07-1${batch}T00:00:00Z`,
  }))
