import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { startEmbedded, startOn } from '../../src/store/embedded/embedded-server.ts'
import { thisHost } from '../../src/store/embedded/host.ts'
import {
  assertRejected,
  isRoot,
  makeDataDir,
  makeDir,
  postmasterPid,
  query,
  startProcess,
  startQuickly,
  userNamed,
} from './harness.ts'

const needsRoot = { skip: isRoot ? false : 'needs root, to be several users' }

test(
  'an ordinary user runs the server under his own account, and adopts his running server',
  needsRoot,
  async () => {
    const user = userNamed('nobody')
    assert.ok(user)
    const dataDir = join(makeDir(user), 'data')
    const first = startProcess({ dataDir }, { user })
    const status = await first.status
    assert.equal(status.isNew, true)
    assert.equal(statSync(`/proc/${await postmasterPid(dataDir)}`).uid, user.uid)
    assert.equal(statSync(dataDir).mode & 0o777, 0o700)
    first.child.kill('SIGKILL')
    await first.exited
    const second = startProcess({ dataDir }, { user })
    assert.equal((await second.status).isAdopted, true)
    second.child.stdin?.write('close\n')
    assert.deepEqual(await second.exited, [0, null])
  },
)

test('as root the server runs as another user, inside the data directory', needsRoot, async () => {
  const dataDir = join(makeDir(), 'data')
  const server = await startQuickly(dataDir)
  const { uid } = statSync(`/proc/${await postmasterPid(dataDir)}`)
  assert.notEqual(uid, 0)
  assert.equal(statSync(server.connection.host).uid, uid)
  assert.equal(lstatSync(join(dataDir, 'postgres')).isDirectory(), true)
  await server.close()
})

test(
  "as root in another user's data directory the server runs as that user, who can start it later",
  needsRoot,
  async () => {
    const user = userNamed('nobody')
    assert.ok(user)
    const dataDir = makeDir(user)
    const server = await startQuickly(dataDir)
    assert.equal(statSync(`/proc/${await postmasterPid(dataDir)}`).uid, user.uid)
    await server.close()
    const own = startProcess({ dataDir }, { user })
    assert.deepEqual((await own.status).refusal, undefined)
    own.child.stdin?.write('close\n')
    await own.exited
  },
)

test('a clone and a data directory that only root can enter work, and stay closed', needsRoot, async () => {
  const closed = makeDir()
  chmodSync(closed, 0o700)
  const clone = join(closed, 'clone')
  const dataDir = join(clone, '.chancery')
  mkdirSync(dataDir, { recursive: true })
  cpSync(thisHost().findPackage(), join(clone, 'package'), { recursive: true, verbatimSymlinks: true })
  const state = join(makeDir(), 'state')
  const host = { ...thisHost(), findPackage: () => join(clone, 'package'), rootStateDirs: [state] }

  const server = await startOn(host, { dataDir, fsync: false })
  assert.equal(server.isNew, true)
  await query(server.connection, 'create table kept as select 7 as number')
  const cluster = realpathSync(join(dataDir, 'postgres'))
  assert.equal(dirname(dirname(cluster)), join(state, 'clusters'))
  assert.equal(statSync(cluster).mode & 0o777, 0o700)
  assert.equal(statSync(closed).mode & 0o777, 0o700)
  const copies = readdirSync(state).filter(name => name.startsWith('postgresql-'))
  assert.equal(copies.length, 1)
  for (const path of [state, join(state, 'clusters'), join(state, copies[0] ?? '')]) {
    const { uid, mode } = statSync(path)
    assert.deepEqual([uid, mode & 0o022], [0, 0], `${path} is writable for root only`)
  }
  await server.close()

  const again = await startOn(host, { dataDir, fsync: false })
  assert.equal(again.isNew, false)
  assert.deepEqual(await query(again.connection, 'select number from kept'), [{ number: 7 }])
  await again.close()
})

test('a cache directory that others may write is not used', needsRoot, async () => {
  const closed = makeDir()
  chmodSync(closed, 0o700)
  const state = makeDir()
  chmodSync(state, 0o777)
  const host = { ...thisHost(), rootStateDirs: [state] }
  await assertRejected(
    startOn(host, { dataDir: join(closed, 'data') }),
    /is not a directory that only root writes/,
  )
  assert.deepEqual(readdirSync(state), [])
})

test('root does not follow a link of another user to the cluster of a third', needsRoot, async () => {
  const user = userNamed('nobody')
  assert.ok(user)
  const victimDir = await makeDataDir()
  const dataDir = makeDir(user)
  symlinkSync(join(victimDir, 'postgres'), join(dataDir, 'postgres'))
  lchownSync(join(dataDir, 'postgres'), user.uid, user.gid)
  await assertRejected(startEmbedded({ dataDir }), /belongs to another user: remove the link/)
})

test(
  'root without an unprivileged user, or with a cluster of its own, gets instructions',
  needsRoot,
  async () => {
    const host = { ...thisHost(), readUsers: async () => 'root:x:0:0:root:/root:/bin/sh\n' }
    const dataDir = join(makeDir(), 'data')
    await assertRejected(startOn(host, { dataDir }), /neither a user postgres nor nobody exists/)
    assert.equal(existsSync(join(dataDir, 'postgres')), false)
    const rootsOwn = await makeDataDir()
    chownSync(join(rootsOwn, 'postgres'), 0, 0)
    await assertRejected(startEmbedded({ dataDir: rootsOwn }), /belongs to root.*chown/)
  },
)
