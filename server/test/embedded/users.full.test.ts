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
  isRoot,
  makeDataDir,
  makeDir,
  postmasterPid,
  query,
  refusal,
  startProcess,
  userNamed,
} from './harness.ts'

const needsRoot = { skip: isRoot ? false : 'needs root, to be several users' }

test('an ordinary user runs the server as himself, and adopts his survivor', needsRoot, async () => {
  const nobody = userNamed('nobody')
  assert.ok(nobody)
  const dataDir = join(makeDir(nobody), 'data')
  const first = startProcess({ dataDir }, { user: nobody })
  const said = await first.said
  assert.equal(said.isNew, true)
  assert.equal(statSync(`/proc/${await postmasterPid(dataDir)}`).uid, nobody.uid)
  assert.equal(statSync(dataDir).mode & 0o777, 0o700)
  first.child.kill('SIGKILL')
  await first.exited
  const second = startProcess({ dataDir }, { user: nobody })
  assert.equal((await second.said).isAdopted, true)
  second.child.stdin?.write('close\n')
  assert.deepEqual(await second.exited, [0, null])
})

test('as root the server runs as another user, inside the data directory', needsRoot, async () => {
  const dataDir = join(makeDir(), 'data')
  const server = await startEmbedded({ dataDir, fsync: false })
  const { uid } = statSync(`/proc/${await postmasterPid(dataDir)}`)
  assert.notEqual(uid, 0)
  assert.equal(statSync(server.connection.host).uid, uid)
  assert.equal(lstatSync(join(dataDir, 'postgres')).isDirectory(), true)
  await server.close()
})

test(
  "as root in another user's data directory the server runs as that user, who can go on alone",
  needsRoot,
  async () => {
    const nobody = userNamed('nobody')
    assert.ok(nobody)
    const dataDir = makeDir(nobody)
    const server = await startEmbedded({ dataDir, fsync: false })
    assert.equal(statSync(`/proc/${await postmasterPid(dataDir)}`).uid, nobody.uid)
    await server.close()
    const own = startProcess({ dataDir }, { user: nobody })
    assert.deepEqual((await own.said).refusal, undefined)
    own.child.stdin?.write('close\n')
    await own.exited
  },
)

test('a clone and a data directory that only root reaches work, and stay closed', needsRoot, async () => {
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
    assert.deepEqual([uid, mode & 0o022], [0, 0], `${path} is root's alone to write`)
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
  await assert.rejects(
    startOn(host, { dataDir: join(closed, 'data') }),
    refusal(/is not a directory that only root writes/),
  )
  assert.deepEqual(readdirSync(state), [])
})

test('a link that another user made does not lead root to a third one', needsRoot, async () => {
  const nobody = userNamed('nobody')
  assert.ok(nobody)
  const victimDir = await makeDataDir()
  const dataDir = makeDir(nobody)
  symlinkSync(join(victimDir, 'postgres'), join(dataDir, 'postgres'))
  lchownSync(join(dataDir, 'postgres'), nobody.uid, nobody.gid)
  await assert.rejects(startEmbedded({ dataDir }), refusal(/belongs to another user: remove the link/))
})

test('root without a lesser user, or with a cluster of its own, is told what to do', needsRoot, async () => {
  const host = { ...thisHost(), readUsers: async () => 'root:x:0:0:root:/root:/bin/sh\n' }
  const dataDir = join(makeDir(), 'data')
  await assert.rejects(startOn(host, { dataDir }), refusal(/neither a user postgres nor nobody exists/))
  assert.equal(existsSync(join(dataDir, 'postgres')), false)
  const rootsOwn = await makeDataDir()
  chownSync(join(rootsOwn, 'postgres'), 0, 0)
  await assert.rejects(startEmbedded({ dataDir: rootsOwn }), refusal(/belongs to root.*chown/))
})
