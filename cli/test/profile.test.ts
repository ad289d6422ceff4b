import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { demoProfile, type Profile, profileSchema } from '@chancery/contract'
import { compiler, validationErrors } from '../../contract/test/validation.ts'
import { createGameHost, type GameHost, ingest, put, smallGame } from '../../server/test/profile/games.ts'
import { chancery } from './chancery.ts'

let folder: string
let host: GameHost

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chancery-profile-'))
  host = await createGameHost()
})
after(async () => {
  await host.close()
  await rm(folder, { recursive: true })
})

async function fileOf(profile: unknown): Promise<string> {
  const file = join(folder, 'game.json')
  await writeFile(file, JSON.stringify(profile))
  return file
}

const check = async (profile: unknown, ...words: string[]) =>
  chancery(['profile', 'check', await fileOf(profile), ...words], {
    CHANCERY_DATABASE_URL: host.databaseUrl,
    CHANCERY_DATA_DIR: folder,
  })

const operatorOf = ({ operatorUrl, operatorToken }: { operatorUrl: string; operatorToken: string }) => ({
  CHANCERY_OPERATOR_URL: operatorUrl,
  CHANCERY_OPERATOR_TOKEN: operatorToken,
})

/** Without the database. */
const checkByService = async (server: Parameters<typeof operatorOf>[0], profile: unknown) =>
  chancery(['profile', 'check', await fileOf(profile), '--against-database', '--json'], operatorOf(server))

test('profile example prints a valid profile, and profile schema its JSON Schema', async () => {
  const [example, schema] = await Promise.all(
    ['example', 'schema'].map(async word => JSON.parse((await chancery(['profile', word])).output)),
  )
  assert.deepEqual(example, demoProfile)
  assert.equal((await check(example)).status, 0)
  const validate = compiler()(schema)
  assert.deepEqual(validationErrors(validate, example), [])
  assert.notDeepEqual(validationErrors(validate, { ...example, units: [{ key: 'Tanks' }] }), [])
  assert.deepEqual(Object.keys(schema.properties), Object.keys(profileSchema.properties))
})

test('profile types prints the facts of a profile as TypeScript, for @chancery/game', async () => {
  const { status, output } = await chancery(['profile', 'types', await fileOf(smallGame)])
  assert.equal(status, 0)
  assert.match(output, /^export interface GameFacts \{$/m)
  for (const { key } of smallGame.units) assert.match(output, RegExp(`^ +${key}\\?: number$`, 'm'))
  assert.equal((await chancery(['profile', 'types', await fileOf({})])).status, 1)
})

test('every problem of a profile is reported on a line, with its path and the allowed values', async () => {
  const { currency: _, ...rest } = smallGame
  const wrong = {
    ...rest,
    ranks: [{ key: 'consul', label: 'Consul', tier: 'king' }],
    resources: [{ key: '__proto__', label: 'Trap' }],
    moons: 2,
  }
  const { status, output, messages } = await check(wrong)
  assert.equal(status, 1)
  assert.equal(output, '')
  const lines = messages.trimEnd().split('\n')
  assert.deepEqual(lines.map(line => /game\.json: (\/\S+) /.exec(line)?.[1]).sort(), [
    '/currency',
    '/moons',
    '/ranks/0/tier',
    '/resources/0/key',
  ])
  assert.match(messages, /\/ranks\/0\/tier must be one of leader, officer, member/)
  assert.match(messages, /\/moons is unknown; allowed are name, url,/)
})

test('changes against the database are shown, and rejected with exit status 1 if stored items use a removed term', async () => {
  const first = JSON.parse((await check(smallGame, '--against-database', '--json')).output)
  assert.equal(first.is_first, true)

  const server = await host.start(smallGame)
  await ingest(server, [put('nation', { id: 'n1', nation_name: 'Roma', continent: 'italia' })])
  assert.match((await check(smallGame, '--against-database')).output, /already uses the same terms/)

  const wider: Profile = {
    ...smallGame,
    war_types: [...smallGame.war_types, { key: 'civil', label: 'Civil war' }],
  }
  const taken = await check(wider, '--against-database')
  assert.equal(taken.status, 0)
  assert.match(taken.output, /^ {2}added {5}war_types\.civil$/m)

  const moved: Profile = { ...wider, continents: [{ key: 'africa', label: 'Africa' }] }
  const refused = await check(moved, '--against-database', '--json')
  assert.equal(refused.status, 1)
  const { refusals, changes } = JSON.parse(refused.output)
  assert.equal(refusals.length, 1)
  assert.match(refusals[0], /^continents\.italia: 1 nation uses the word/)
  assert.equal(changes.length, 3)
  assert.match(refused.messages, /1 change rejected\n {2}continents\.italia/)
  // By the running service, without its database.
  const byService = await checkByService(server, moved)
  assert.equal(byService.status, 1)
  assert.deepEqual(JSON.parse(byService.output).refusals, refusals)
  const renamed: Profile = { ...wider, war_types: [{ key: 'civil', label: 'Civil war' }] }
  assert.deepEqual(
    JSON.parse((await checkByService(server, renamed)).output),
    JSON.parse((await check(renamed, '--against-database', '--json')).output),
  )
  const stored = await chancery(['profile', 'stored'], operatorOf(server))
  assert.deepEqual(JSON.parse(stored.output), smallGame)
  // Nothing of this was adopted.
  assert.match((await check(smallGame, '--against-database')).output, /already uses the same terms/)
})
