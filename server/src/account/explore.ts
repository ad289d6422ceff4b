import { type Contract, classes, type Exploration, readableSchema, scopeNames } from '@chancery/contract'
import fastJson from 'fast-json-stringify'
import { type Clearance, createDisclosure, privateFieldsFor } from '../disclosure/disclosure.ts'
import { createFindAlliance, findAllianceWithTreasury, maySeeTreasury } from '../resources/alliances/store.ts'
import { createFindNation, createFindNationOfPlayer } from '../resources/nations/store.ts'
import type { ReadContext } from '../store/read-context.ts'

type Explored = Exploration['resource']

/** Somebody with a key that may do everything, and who has nothing to do with the thing. */
const stranger: Clearance = { scopes: new Set(scopeNames), isOwner: false, maySeeTreasury: false }

/** Shows one thing as others see it and as its viewer does; undefined where there is no such thing. */
export type Explore = (playerId: string, resource: Explored, id: string) => Promise<Exploration | undefined>

/**
 * What strangers see is read as they read it, by a role that reaches no secret; what is read for the player goes through disclosure
 * like their own calls.
 */
export function createExplore(context: ReadContext): Explore {
  const { contract } = context
  const disclose = createDisclosure(contract)
  const fields = { nation: fieldsOf(contract, 'nation'), alliance: fieldsOf(contract, 'alliance') }
  const findNation = createFindNation(context)
  const findNationOfPlayer = createFindNationOfPlayer(context)
  const findAlliance = createFindAlliance(context)
  const asAnswered = { nation: writerOf(contract, 'nation'), alliance: writerOf(contract, 'alliance') }

  async function nationViews(playerId: string, id: string) {
    const seen = await findNation(id)
    if (!seen) return undefined
    const clearance = { ...stranger, isOwner: true }
    const own = await findNationOfPlayer(playerId, privateFieldsFor(contract.resources.nation, clearance))
    const self = own?.id === id ? disclose.toViewer('nation', own, clearance) : undefined
    const others = disclose.toViewer('nation', seen, stranger)
    return { anonymous: disclose.toPublic('nation', seen), stranger: others, self: self ?? others }
  }

  async function allianceViews(playerId: string, id: string) {
    const seen = await findAlliance(id)
    if (!seen) return undefined
    const isEntitled = await maySeeTreasury(context, playerId, id)
    const clearance = { ...stranger, maySeeTreasury: isEntitled }
    const opened = privateFieldsFor(contract.resources.alliance, clearance)
    const own = isEntitled ? await findAllianceWithTreasury(context, id, opened) : undefined
    const self = own && disclose.toViewer('alliance', own, clearance)
    const others = disclose.toViewer('alliance', seen, stranger)
    return { anonymous: disclose.toPublic('alliance', seen), stranger: others, self: self ?? others }
  }

  return async (playerId, resource, id) => {
    const views = await (resource === 'nation' ? nationViews : allianceViews)(playerId, id)
    if (!views) return undefined
    const answered = asAnswered[resource]
    return {
      resource,
      id,
      fields: fields[resource],
      views: {
        anonymous: answered(views.anonymous),
        stranger: answered(views.stranger),
        self: answered(views.self),
      },
    }
  }
}

/** What the contract does not name does not leave, also inside of fields: as of the API's own answers. */
function writerOf(contract: Contract, resource: Explored): (view: object) => object {
  const write = fastJson(readableSchema(contract.resources[resource], 'owner') as object)
  return view => JSON.parse(write(view))
}

/** Every field that somebody may read, and each attribute, which has a class of its own. What is for nobody is not even named. */
function fieldsOf({ resources }: Contract, resource: Explored): Exploration['fields'] {
  const { properties = {} } = readableSchema(resources[resource], 'owner')
  return Object.entries(properties).flatMap(([name, field]) => {
    const members = name === 'attributes' ? Object.entries(field.properties ?? {}) : []
    return [
      described(name, field),
      ...members.map(([member, schema]) => described(`${name}.${member}`, schema)),
    ]
  })
}

function described(name: string, schema: ReturnType<typeof readableSchema>): Exploration['fields'][number] {
  const fieldClass = classes.find(known => known === schema['x-class'])
  if (!fieldClass) throw new Error(`${name} has no class`)
  const scope = scopeNames.find(known => known === schema['x-scope']) ?? null
  return { name, class: fieldClass, scope, description: schema.description ?? '' }
}
