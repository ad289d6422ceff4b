import { contractFor, demoProfile, scopeNames } from '@chancery/contract'
import { createWorld, demoViewers, linesOf } from '@chancery/simulator'
import { importDay, type PastNation } from '../../server/src/resources/history/record-day.ts'
import { createPool } from '../../server/src/store/database.ts'
import { startTestServer, type TestServer } from '../../server/test/support/test-server.ts'
import { type ExampleSubjects, exampleRequests } from './requests.ts'

export const examplesFile = new URL('../../contract/examples.json', import.meta.url)

/** Small, with eras that have ended and conflicts. With this seed a nation of the officer's alliance is at war and has an assignment and a production order. */
const worldOptions = { nations: 60, days: 45, seed: 2, endsAt: '2026-05-27T18:00:00Z' }

/** The default limits, which are in a response. */
const usualLimits = { CHANCERY_ANONYMOUS_LIMIT: '60', CHANCERY_KEY_LIMIT: '120' }

/** The text of contract/examples.json: by operation and component a request and its response. */
export async function recordExamples(): Promise<string> {
  const chancery = await startTestServer(usualLimits)
  try {
    const recorded: Record<string, Record<string, { request: string; response: ResponseBody }>> = {}
    for (const [operation, requests] of Object.entries(exampleRequests(await makeWorld(chancery)))) {
      recorded[operation] = {}
      for (const [component, { path, key, shown = path }] of Object.entries(requests)) {
        const body = await chancery.read<ResponseBody>(path, key === undefined ? {} : { key })
        recorded[operation][component] = { request: shown, response: withStableValues(component, body) }
      }
    }
    return `${JSON.stringify(recorded, null, 2)}\n`
  } finally {
    await chancery.close()
  }
}

/** Throws if the seed’s world lacks a nation with an assignment and an order, or a war. */
async function makeWorld(chancery: TestServer): Promise<ExampleSubjects> {
  const world = createWorld(worldOptions)
  const days: [string, PastNation[]][] = []
  const batches = [...world.history()].map(batch => {
    if (batch.endsDay) days.push([batch.endsDay, world.standings()])
    return linesOf(batch)
  })
  for (const outcome of await chancery.send(batches.join('')))
    if (outcome.status !== 'applied') throw new Error(`a batch was not applied: ${JSON.stringify(outcome)}`)
  await importDays(chancery, days)
  await chancery.ingest([])

  const { nations } = world.state
  const { nationId: officerId } = demoViewers(world).officer
  const alliance = nations.find(({ id }) => id === officerId)?.alliance
  const nation = nations.find(
    member => member.alliance === alliance && member.assignedUntil > 0 && member.queue.length > 0,
  )
  if (!alliance || !nation)
    throw new Error('no nation has an order and a production queue: choose another seed')
  const wars = await chancery.read<{ data: { id: string; battles_count: number; participants: object[] }[] }>(
    `/wars?alliance_id=${alliance.id}&limit=100`,
  )
  const war = wars.data.find(
    ({ battles_count, participants }) => battles_count > 1 && participants.length > 0,
  )
  if (!war) throw new Error(`no war of ${alliance.id} has battles and participants: choose another seed`)

  const battles = await chancery.read<{ data: { id: string }[] }>(`/wars/${war.id}/battles?limit=1`)
  const treaties = await chancery.read<{ data: { id: string; nation_ids: string[] }[] }>(
    '/treaties?status=active&limit=100',
  )
  const treaty = treaties.data.find(({ nation_ids }) => nation_ids.length > 0)
  if (!treaty) throw new Error('no treaty between nations is in force: choose another seed')
  const keyOf = async (nationId: string) =>
    (await chancery.makeKey({ nation_id: nationId }, scopeNames, { name: 'war-room bot' })).key
  return {
    nationId: nation.id,
    key: await keyOf(nation.id),
    code: await chancery.makeCode(nation.id),
    allianceId: alliance.id,
    officerKey: await keyOf(officerId),
    treatyId: treaty.id,
    warId: war.id,
    battleId: battles.data[0]?.id ?? '',
  }
}

async function importDays({ databaseUrl }: TestServer, days: [string, PastNation[]][]): Promise<void> {
  const pool = createPool({
    target: { connectionString: databaseUrl },
    role: 'chancery_ingest',
    connectionsMax: 1,
  })
  for (const [day, nations] of days) await importDay(pool, day, nations)
  await pool.close()
}

const { game, key } = contractFor(demoProfile).resources

/** Values that differ from recording to recording, and what is recorded instead. */
const stableValues: Record<string, Record<string, unknown>> = {
  Game: { world_changed_at: game.fields.world_changed_at.examples[0] },
  Key: {
    id: key.fields.id.examples[0],
    remaining: key.fields.remaining.examples[0],
    created_at: key.fields.created_at.examples[0],
    last_used_at: key.fields.last_used_at.examples[0],
  },
  // A world that is made at midnight has a yesterday.
  NationRanking: { previous_rank: null },
  AllianceRanking: { previous_rank: null },
}

/** The body of a response: an item, or a page of items. */
interface ResponseBody {
  data: object | object[]
}

/** The same body in every recording. */
function withStableValues(component: string, body: ResponseBody): ResponseBody {
  const shown = (item: object) => ({ ...item, ...stableValues[component] })
  const { data } = body
  return { ...body, data: Array.isArray(data) ? data.map(shown) : shown(data) }
}
