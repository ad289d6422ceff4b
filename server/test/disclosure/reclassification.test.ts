import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Attribute, demoProfile } from '@chancery/contract'
import { type RunningServer, readConfig, startServer } from '../../src/index.ts'
import { startChancery, type TestChancery } from '../support/chancery.ts'

// Two servers on one database, whose profiles class the same attributes otherwise.
const described = { type: 'string', description: 'An attribute.', example: null } as const
const attributes: Attribute[] = [
  { ...described, key: 'closed', class: 'public' },
  { ...described, key: 'buried', class: 'public' },
  { ...described, key: 'dropped', class: 'public' },
  { ...described, key: 'opened', class: 'admin_only' },
]
const otherAttributes: Attribute[] = [
  { ...described, key: 'closed', class: 'player_private', scope: 'economy.read' },
  { ...described, key: 'buried', class: 'admin_only' },
  { ...described, key: 'opened', class: 'public' },
]
const said = { closed: 'value one', buried: 'value two', dropped: 'value three', opened: 'value four' }

let folder: string
let chancery: TestChancery
let other: RunningServer

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chancery-reclassification-'))
  chancery = await startChancery({ CHANCERY_GAME_FILE: await gameFile('one', attributes) })
  await chancery.tell([
    {
      op: 'put',
      resource: 'nation',
      data: { id: 'n1', nation_name: 'Valdoria', player: 'p1', attributes: said },
      at: '2026-06-01T00:00:00Z',
    },
  ])
  other = await startServer(
    readConfig({
      CHANCERY_HOST: '127.0.0.1',
      CHANCERY_PORT: '0',
      CHANCERY_OPERATOR_PORT: '0',
      CHANCERY_DATA_DIR: folder,
      CHANCERY_DATABASE_URL: chancery.databaseUrl,
      CHANCERY_GAME_FILE: await gameFile('other', otherAttributes),
      CHANCERY_LOG_LEVEL: 'silent',
    }),
  )
})
after(async () => {
  await other?.close()
  await chancery.close()
  await rm(folder, { recursive: true })
})

async function gameFile(name: string, nation: Attribute[]): Promise<string> {
  const file = join(folder, `${name}.json`)
  await writeFile(file, JSON.stringify({ ...demoProfile, attributes: { nation, alliance: [] } }))
  return file
}

test('an attribute that was public when it was stored, and is not now, is withheld', async () => {
  const { data } = await chancery.read<{ data: { attributes: object } }>('/nations/n1')
  assert.deepEqual(data.attributes, { closed: 'value one', buried: 'value two', dropped: 'value three' })
  for (const path of ['/nations/n1', '/nations', '/nations?search=val']) {
    const body = await (await fetch(`${other.publicUrl}/api/v1${path}`)).text()
    assert.match(body, /"attributes":\{\}/, path)
    assert.doesNotMatch(body, /value/, path)
  }
})

test('its owner reads it through the scope that it has now', async () => {
  const { key } = await chancery.makeKey({ player_id: 'p1' }, ['economy.read'])
  const response = await fetch(`${other.publicUrl}/api/v1/me/nation`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data } = (await response.json()) as { data: { attributes: Record<string, string> } }
  assert.equal(data.attributes.closed, 'value one')
  assert.equal(data.attributes.buried, undefined)
  assert.equal(data.attributes.dropped, undefined)
})
