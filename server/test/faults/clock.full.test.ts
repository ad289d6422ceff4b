import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { signIn } from '../account/browser.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { patientProgram } from '../support/serve-process.ts'
import { isLong } from '../support/tier.ts'
import { isTest } from '../support/webhook-receiver.ts'
import { verified } from '../webhooks/verified.ts'
import { call } from './support/counted-calls.ts'
import { runFault } from './support/fault.ts'
import { type FaultServer, startFaultServer } from './support/fault-server.ts'
import { type Load, startLoad } from './support/load.ts'
import { assertNothingLost } from './support/load-nothing-lost.ts'

const skip = process.platform === 'win32' && 'Windows has no signal that tells a process to look at its clock'

const hour = 3_600_000
const lastsMs = isLong ? 4_000 : 800
const limit = 20
const preload = fileURLToPath(new URL('./support/stepped-clock.ts', import.meta.url))

let dir: string
let database: TestDatabase
let server: FaultServer
let load: Load
const clockFile = () => join(dir, 'offset')

/** Sets the serving process's clock so many hours off the database's. */
async function setClock(hours: number): Promise<void> {
  writeFileSync(clockFile(), String(hours * hour))
  server.served.child.kill('SIGUSR2')
}

before(async () => {
  if (skip) return
  dir = mkdtempSync(join(tmpdir(), 'chancery-clock-'))
  writeFileSync(clockFile(), '0')
  database = await createTestDatabase()
  server = await startFaultServer(
    database.url,
    {
      NODE_OPTIONS: `--import ${preload}`,
      STEPPED_CLOCK_FILE: clockFile(),
    },
    patientProgram,
  )
  load = startLoad(server.served, server.key)
})
after(async () => {
  await server?.close()
  await database?.drop()
  if (dir) await rm(dir, { recursive: true, force: true })
})

/** A key with a life and a limit of its own. */
async function makeKey(more: object): Promise<string> {
  const made = await server.operate('POST', '/keys', {
    nation_id: 'n1',
    name: 'clock',
    scopes: ['nation.read'],
    ...more,
  })
  assert.equal(made.status, 201)
  return ((await made.json()) as { key: string }).key
}

const statusWith = async (key: string, path = '/game') => {
  const response = await fetch(`${server.served.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await response.body?.cancel()
  return response.status
}

/** An end is in the future or not by the clock that ends it. */
async function assertEndsByTheCommonClock(): Promise<void> {
  const player = await signIn({ url: server.served.url, operate: server.operate }, { nation_id: 'n1' })
  const wish = { name: 'end', scopes: ['nation.read'] }
  for (const [minutes, isTaken] of [
    [30, true],
    [-30, false],
  ] as const) {
    const expires_at = new Date(Date.now() + minutes * 60_000).toISOString()
    const answers = [
      await server.operate('POST', '/keys', { ...wish, nation_id: 'n1', expires_at }),
      await server.operate('POST', '/tokens', { name: randomUUID(), roles: ['facts'], expires_at }),
      await player.ask('POST', '/keys', { body: { ...wish, expires_at } }),
    ]
    const expected = isTaken ? [201, 201, 201] : [400, 400, 400]
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(statuses, expected, `an end in ${minutes} minutes`)
  }
  const made = await player.done<{ id: string; expires_at: string }>('POST', '/keys', {
    ...wish,
    expires_at: new Date(Date.now() + 2 * hour).toISOString(),
  })
  const path = `/keys/${made.id}/rotate`
  const rotated = await player.done<typeof made>('POST', path, { overlap_hours: 0 })
  const movedMs = Date.parse(rotated.expires_at) - Date.parse(made.expires_at)
  assert.ok(movedMs >= 0 && movedMs < hour / 2, `a key that takes another's place ends ${movedMs} ms later`)
}

/** Whoever has used up a window waits for its end, by the time that passes. */
async function assertUsedUp(key: string): Promise<void> {
  const { isAllowed } = await call(server, key, limit)
  assert.equal(isAllowed, false, 'a step of the clock gives nobody another window')
}

async function underStep(t: TestContext, hours: number): Promise<void> {
  const used = await makeKey({ limit })
  for (let count = 0; count < limit; count += 1) await call(server, used, limit)
  const living = await makeKey({ expires_at: new Date(Date.now() + hour / 2).toISOString() })
  const code = (await (await server.operate('POST', '/codes', { nation_id: 'n3' })).json()) as {
    code: string
  }

  const refused = await runFault(
    t,
    { server, load },
    {
      async begin() {
        await setClock(hours)
        assert.equal(await statusWith(living), 200, 'a key lives as long as the database says')
        await assertUsedUp(used)
        await assertEndsByTheCommonClock()
        const redeemed = await fetch(`${server.served.url}/api/v1/discord/verify/${code.code}`)
        assert.equal(redeemed.status, 200, await redeemed.text())
      },
      end: () => setClock(0),
      lastsMs,
      isUnready: false,
    },
  )
  assert.deepEqual(refused, [])
  await assertUsedUp(used)
}

test(
  'a process whose clock is set an hour on goes by the clock that all share, then and when it is set back',
  { skip },
  t => underStep(t, 1),
)

test(
  'a process whose clock is set an hour back goes by the clock that all share, then and when it is set on',
  { skip },
  t => underStep(t, -1),
)

test('what was sent meanwhile was signed with the time that it was, and nothing is lost', {
  skip,
}, async () => {
  await assertNothingLost(server, await load.stop())
  // The package that receivers use refuses what is five minutes off.
  for (const message of server.receiver.received)
    if (!isTest(message)) verified(server.webhookSecret, message)
})
