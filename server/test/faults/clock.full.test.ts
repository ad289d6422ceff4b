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
import { longTimeoutServer } from '../support/serve-process.ts'
import { isLong } from '../support/tier.ts'
import { isTest } from '../support/webhook-receiver.ts'
import { verified } from '../webhooks/verified.ts'
import { call } from './support/counted-calls.ts'
import { runFault } from './support/fault.ts'
import { type FaultServer, startFaultServer } from './support/fault-server.ts'
import { type Load, startLoad } from './support/load.ts'

const skip = process.platform === 'win32' && 'Windows has no signal for a process to read its clock'

const hour = 3_600_000
const lastsMs = isLong ? 4_000 : 800
const limit = 20
const preload = fileURLToPath(new URL('./support/stepped-clock.ts', import.meta.url))

let dir: string
let database: TestDatabase
let server: FaultServer
let load: Load
const clockFile = () => join(dir, 'offset')

/** Sets the clock of the serving process to differ from the database's. */
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
    longTimeoutServer,
  )
  load = startLoad(server.served, server.key)
})
after(async () => {
  await server?.close()
  await database?.drop()
  if (dir) await rm(dir, { recursive: true, force: true })
})

/** Creates a key with an expiry or a limit. */
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

/** Expiry times are validated by the clock of the database. */
async function assertExpiryValidated(): Promise<void> {
  const player = await signIn({ url: server.served.url, operate: server.operate }, { nation_id: 'n1' })
  const grant = { name: 'end', scopes: ['nation.read'] }
  for (const [minutes, isAccepted] of [
    [30, true],
    [-30, false],
  ] as const) {
    const expires_at = new Date(Date.now() + minutes * 60_000).toISOString()
    const responses = [
      await server.operate('POST', '/keys', { ...grant, nation_id: 'n1', expires_at }),
      await server.operate('POST', '/tokens', { name: randomUUID(), roles: ['facts'], expires_at }),
      await player.request('POST', '/keys', { body: { ...grant, expires_at } }),
    ]
    const expected = isAccepted ? [201, 201, 201] : [400, 400, 400]
    const statuses = responses.map(({ status }) => status)
    assert.deepEqual(statuses, expected, `an expiry in ${minutes} minutes`)
  }
  const made = await player.requestOk<{ id: string; expires_at: string }>('POST', '/keys', {
    ...grant,
    expires_at: new Date(Date.now() + 2 * hour).toISOString(),
  })
  const path = `/keys/${made.id}/rotate`
  const rotated = await player.requestOk<typeof made>('POST', path, { overlap_hours: 0 })
  const movedMs = Date.parse(rotated.expires_at) - Date.parse(made.expires_at)
  assert.ok(movedMs >= 0 && movedMs < hour / 2, `a rotated key expires ${movedMs} ms later`)
}

/** The rate limit of a key is used up until its window ends, by the elapsed time. */
async function assertUsedUp(key: string): Promise<void> {
  const { isAllowed } = await call(server, key, limit)
  assert.equal(isAllowed, false, 'a clock step does not start a window')
}

async function underStep(t: TestContext, hours: number): Promise<void> {
  const used = await makeKey({ limit })
  for (let count = 0; count < limit; count += 1) await call(server, used, limit)
  const unexpired = await makeKey({ expires_at: new Date(Date.now() + hour / 2).toISOString() })
  const code = (await (await server.operate('POST', '/codes', { nation_id: 'n3' })).json()) as {
    code: string
  }

  const rejected = await runFault(
    t,
    { server, load },
    {
      async begin() {
        await setClock(hours)
        assert.equal(await statusWith(unexpired), 200, 'a key expires by the clock of the database')
        await assertUsedUp(used)
        await assertExpiryValidated()
        const redeemed = await fetch(`${server.served.url}/api/v1/discord/verify/${code.code}`)
        assert.equal(redeemed.status, 200, await redeemed.text())
      },
      end: () => setClock(0),
      lastsMs,
      isUnready: false,
    },
  )
  assert.deepEqual(rejected, [])
  await assertUsedUp(used)
}

test(
  'a process whose clock is an hour ahead uses the clock of the database, also after the clock is corrected',
  { skip },
  t => underStep(t, 1),
)

test(
  'a process whose clock is an hour behind uses the clock of the database, also after the clock is corrected',
  { skip },
  t => underStep(t, -1),
)

test('deliveries during clock steps are signed with the correct time, and nothing is lost', {
  skip,
}, async () => {
  await server.assertNothingLost(await load.stop())
  // The package that receivers use rejects timestamps that differ by five minutes.
  for (const message of server.receiver.received)
    if (!isTest(message)) verified(server.webhookSecret, message)
})
