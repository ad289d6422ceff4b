// Takes about a minute: it installs the packages of the image and builds its bundle.
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../../server/src/store/embedded/socket.ts'
import { createTestDatabase, type TestDatabase } from '../../server/test/support/database.ts'
import { type LaidOutImage, layOutImage } from './lay-out-image.ts'

const execute = promisify(execFile)
const repository = fileURLToPath(new URL('../../', import.meta.url))

let dir: string
let database: TestDatabase
let image: LaidOutImage
let program: string
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'chancery-image-'))
  image = await layOutImage(repository, dir)
  // Without the folders of earlier stages, which contain packages.
  const alone = join(dir, 'image')
  await cp(image.root, alone, { recursive: true })
  image.root = alone
  const [node, main = ''] = image.entrypoint
  assert.equal(node, 'node')
  program = join(alone, main)
  database = await createTestDatabase()
})
after(async () => {
  await database?.drop()
  await rm(dir, { recursive: true, force: true })
})

const environment = (variables: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  ...image.env,
  CHANCERY_DATA_DIR: join(dir, 'data'),
  CHANCERY_DATABASE_URL: database.url,
  ...variables,
})

const run = (args: string[], variables?: Record<string, string>) =>
  execute(process.execPath, args, { cwd: dir, env: environment(variables), maxBuffer: 1 << 26 })

const megabytesMax = 12

test('the image contains no packages, and less than 12 MB besides Node', async () => {
  const entries = await readdir(image.root, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  assert.deepEqual(
    files.filter(file => /node_modules|\.ts$/.test(file)),
    [],
  )
  const sizes = await Promise.all(files.map(async file => (await stat(file)).size))
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6
  assert.ok(megabytes < megabytesMax, `${megabytes.toFixed(1)} MB`)
})

test('every chunk of the bundle is loaded without a package', async () => {
  const folder = join(image.root, 'app/cli/dist')
  const chunks = (await readdir(folder)).filter(file => file.endsWith('.js') && file !== 'chancery.js')
  assert.ok(chunks.length > 20)
  const lines = chunks.map(file => `await import(${JSON.stringify(pathToFileURL(join(folder, file)).href)})`)
  await run(['--input-type=module', '--eval', `${lines.join('\n')}\nprocess.exit(0)`])
})

test('commands that need no service run from the bundle', async () => {
  // It loads them all.
  assert.match((await run([program, '--help'])).stdout, /^ {2}restore /m)
  assert.match((await run([program, 'outbox', 'sql'])).stdout, /create table/i)
  assert.match(
    (await run([program, 'simulate', '--nations', '50', '--days', '1'])).stdout,
    /"resource":"nation"/,
  )
  await run([program, 'migrate'])
})

test('a stack trace names the lines of the sources', async () => {
  const fails = "data:text/javascript,process.stdout.write = () => { throw new Error('no output') }"
  const failure = await run(['--import', fails, program, '--version']).then(
    () => assert.fail('it did not fail'),
    (err: { stderr: string }) => err.stderr,
  )
  assert.match(failure, /no output/)
  const source = await readFile(join(repository, 'cli/src/command-line.ts'), 'utf8')
  const line = source.split('\n').findIndex(text => text.includes('output.write(')) + 1
  assert.match(failure, new RegExp(`cli[\\\\/]src[\\\\/]command-line\\.ts:${line}:\\d+`))
})

const isHealthy = (port: number) =>
  spawnSync(process.execPath, [join(image.root, 'app/deploy/docker/healthcheck.js')], {
    env: { CHANCERY_PORT: `${port}` },
  }).status === 0

test('the service runs from the image alone, and ends when the container is stopped', async () => {
  const port = await freePort()
  assert.equal(isHealthy(port), false, 'the service has not started')
  const env = environment({
    CHANCERY_HOST: '127.0.0.1',
    CHANCERY_PORT: `${port}`,
    CHANCERY_OPERATOR_PORT: '0',
    CHANCERY_DRAIN_SECONDS: '0',
  })
  const service = spawn(process.execPath, [program, 'serve'], { cwd: dir, env })
  const ended = once(service, 'exit')
  try {
    let messages = ''
    service.stderr.on('data', text => {
      messages += text
    })
    for await (const text of service.stdout) if (String(text).includes('operator')) break
    assert.equal(service.exitCode, null, messages)
    assert.equal(isHealthy(port), true)
    for (const path of [
      '/api/v1/game',
      '/docs/',
      '/docs/guides/limits-and-caching',
      '/docs/errors/not_found',
      '/openapi.json',
      '/developers/',
    ]) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      assert.equal(response.status, 200, path)
    }
  } finally {
    service.kill('SIGTERM')
  }
  assert.deepEqual(await ended, [0, null])
})
