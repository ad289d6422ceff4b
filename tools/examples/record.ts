import { scopeNames } from '@chancery/contract'
import { createWorld, demoViewers, linesOf } from '@chancery/simulator'
import { startTestServer, type TestServer } from '../../server/test/support/test-server.ts'
import { type Cast, questionsAbout } from './questions.ts'
import { type Answer, settle } from './settle.ts'

export const examplesFile = new URL('../../contract/examples.json', import.meta.url)

/** Small, with eras that have ended and conflicts. By this seed a comrade of the officer is at war, at work, and has an order. */
const worldOptions = { nations: 60, days: 45, seed: 21, endsAt: '2026-05-27T18:00:00Z' }

/** The limits of a server that is told none: an answer names them. */
const usualLimits = { CHANCERY_ANONYMOUS_LIMIT: '60', CHANCERY_KEY_LIMIT: '120' }

/** What contract/examples.json should hold: by operation and component the request, and what a server answers it. */
export async function recordExamples(): Promise<string> {
  const chancery = await startTestServer(usualLimits)
  try {
    const recorded: Record<string, Record<string, { request: string; answer: Answer }>> = {}
    for (const [operation, questions] of Object.entries(questionsAbout(await makeWorld(chancery)))) {
      recorded[operation] = {}
      for (const [component, { path, key, shown = path }] of Object.entries(questions)) {
        const answer = await chancery.read<Answer>(path, key === undefined ? {} : { key })
        recorded[operation][component] = { request: shown, answer: settle(component, answer) }
      }
    }
    return `${JSON.stringify(recorded, null, 2)}\n`
  } finally {
    await chancery.close()
  }
}

/** Throws where the seed makes nobody who has everything to show. */
async function makeWorld(chancery: TestServer): Promise<Cast> {
  const world = createWorld(worldOptions)
  for (const outcome of await chancery.send([...world.history()].map(linesOf).join('')))
    if (outcome.status !== 'applied') throw new Error(`a batch was not applied: ${JSON.stringify(outcome)}`)
  await chancery.ingest([])

  const { nations } = world.state
  const { nationId: officerId } = demoViewers(world).officer
  const alliance = nations.find(({ id }) => id === officerId)?.alliance
  const nation = nations.find(
    comrade => comrade.alliance === alliance && comrade.assignedUntil > 0 && comrade.queue.length > 0,
  )
  if (!alliance || !nation) throw new Error('nobody here has an order and work in hand: choose another seed')
  const wars = await chancery.read<{ data: { id: string; battles_count: number }[] }>(
    `/wars?nation_id=${nation.id}&limit=100`,
  )
  const war = wars.data.find(({ battles_count }) => battles_count > 1)
  if (!war) throw new Error(`${nation.id} has fought no battles: choose another seed`)

  const keyOf = async (nationId: string) =>
    (await chancery.makeKey({ nation_id: nationId }, scopeNames, { name: 'war-room bot' })).key
  return {
    nationId: nation.id,
    key: await keyOf(nation.id),
    code: await chancery.makeCode(nation.id),
    allianceId: alliance.id,
    officerKey: await keyOf(officerId),
    warId: war.id,
  }
}
