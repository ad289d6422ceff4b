import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { ConfigError, readConfig, StartupError, startServer } from '../../src/index.ts'
import { warnIfExposed } from '../../src/operator/operator-api.ts'
import type { ServerTimings } from '../../src/start/server.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { patientTimings } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { makeCertificate, makeRsaCertificate, withoutCertificates } from '../webhooks/certificate.ts'

let dir: string
let database: TestDatabase
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'chancery-operator-tls-'))
  database = await createTestDatabase()
})
after(async () => {
  await database.drop()
  await rm(dir, { recursive: true, force: true })
})

const token = 'operator-token-of-a-test'
const start = (env: Record<string, string>, timings: ServerTimings = patientTimings) =>
  startServer(
    readConfig({
      CHANCERY_HOST: '127.0.0.1',
      CHANCERY_PORT: '0',
      CHANCERY_OPERATOR_PORT: '0',
      CHANCERY_ADMIN_TOKEN: token,
      CHANCERY_DATA_DIR: dir,
      CHANCERY_DATABASE_URL: database.url,
      CHANCERY_LOG_LEVEL: 'silent',
      ...env,
    }),
    timings,
  )

describe('the operator API with a certificate', { skip: withoutCertificates }, () => {
  test('is reached over TLS with an https URL, independent of the public listener', async t => {
    const { key, cert } = makeCertificate('IP:127.0.0.1')
    const files = { cert: join(dir, 'door.crt'), key: join(dir, 'door.key') }
    await writeFile(files.cert, cert)
    await writeFile(files.key, key)
    const server = await start({
      CHANCERY_OPERATOR_TLS_CERT: files.cert,
      CHANCERY_OPERATOR_TLS_KEY: files.key,
    })
    t.after(() => server.close())
    assert.match(server.operatorUrl, /^https:/)
    assert.match(server.publicUrl, /^http:/)
    const addresses = JSON.parse(await readFile(join(dir, 'addresses.json'), 'utf8'))
    assert.equal(addresses.operator, server.operatorUrl)

    const ask = async (ca: string | undefined) => {
      const req = request(`${server.operatorUrl}/status`, {
        agent: false,
        headers: { authorization: `Bearer ${token}` },
        ...(ca ? { ca } : {}),
      }).end()
      const [res] = await once(req, 'response')
      return { status: res.statusCode, body: JSON.parse(await text(res)) }
    }
    const answer = await ask(cert)
    assert.deepEqual([answer.status, answer.body.seq], [200, 0])
    await assert.rejects(ask(undefined), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    await assert.rejects(fetch(server.operatorUrl.replace('https:', 'http:')))
  })

  test('serves a renewed certificate on both listeners, and never a partial one', async t => {
    const [first, second] = [makeCertificate('IP:127.0.0.1'), makeCertificate('IP:127.0.0.1')]
    const files = { cert: join(dir, 'renewed.crt'), key: join(dir, 'renewed.key') }
    await writeFile(files.cert, first.cert)
    await writeFile(files.key, first.key)
    const server = await start(
      {
        CHANCERY_TLS_CERT: files.cert,
        CHANCERY_TLS_KEY: files.key,
        CHANCERY_OPERATOR_TLS_CERT: files.cert,
        CHANCERY_OPERATOR_TLS_KEY: files.key,
      },
      { ...patientTimings, certificatesEveryMs: 10 },
    )
    t.after(() => server.close())
    const isShownOn = async (url: string, ca: string) => {
      const req = request(url, { agent: false, ca }).end()
      return once(req, 'response').then(
        ([res]) => res.resume() && true,
        () => false,
      )
    }
    const isShown = async (ca: string) =>
      (await isShownOn(`${server.operatorUrl}/docs`, ca)) &&
      (await isShownOn(`${server.publicUrl}/healthz`, ca))
    assert.ok(await isShown(first.cert))
    await writeFile(files.cert, second.cert)
    // Long enough to be looked at many times.
    for (let turn = 0; turn < 20; turn += 1)
      assert.ok(await isShown(first.cert), 'a key without its certificate')
    await writeFile(files.key, second.key)
    await until(() => isShown(second.cert), 'the renewed one is shown')
    // A key of another kind is taken without a word, and then nobody is let in.
    const third = makeRsaCertificate('IP:127.0.0.1')
    await writeFile(files.cert, third.cert)
    for (let turn = 0; turn < 20; turn += 1)
      assert.ok(await isShown(second.cert), 'a certificate with a key of another kind')
    await writeFile(files.key, third.key)
    await until(() => isShown(third.cert), 'the one of another kind is shown')
    await rm(files.key)
    await writeFile(files.cert, '')
    for (let turn = 0; turn < 20; turn += 1) assert.ok(await isShown(third.cert), 'no certificate')
  })

  test('does not start with an invalid certificate or one of another key', async () => {
    const files = { cert: join(dir, 'wrong.crt'), key: join(dir, 'wrong.key') }
    const [one, other] = [makeCertificate('IP:127.0.0.1'), makeCertificate('IP:127.0.0.1')]
    const rsa = makeRsaCertificate('IP:127.0.0.1')
    for (const [cert, key] of [
      [one.cert, other.key],
      [one.cert, rsa.key],
      [rsa.cert, one.key],
      [one.cert, ''],
      ['none', one.key],
    ] as const) {
      await writeFile(files.cert, cert)
      await writeFile(files.key, key)
      await assert.rejects(
        start({ CHANCERY_OPERATOR_TLS_CERT: files.cert, CHANCERY_OPERATOR_TLS_KEY: files.key }),
        (error: unknown) =>
          error instanceof StartupError &&
          error.message.startsWith(
            `CHANCERY_OPERATOR_TLS_CERT: the files ${files.cert} and ${files.key} are`,
          ),
      )
    }
  })
})

test('a certificate without a key, and a missing file, are reported by name', async () => {
  assert.throws(
    () => readConfig({ CHANCERY_OPERATOR_TLS_CERT: '/x.crt' }),
    (error: unknown) =>
      error instanceof ConfigError && /^CHANCERY_OPERATOR_TLS_KEY: is missing/m.test(error.message),
  )
  await assert.rejects(
    start({ CHANCERY_OPERATOR_TLS_CERT: '/nowhere.crt', CHANCERY_OPERATOR_TLS_KEY: '/nowhere.key' }),
    (error: unknown) =>
      error instanceof StartupError && error.message.startsWith('CHANCERY_OPERATOR_TLS_CERT: the file'),
  )
})

test('a warning is logged for an operator API on a network without TLS', () => {
  const warned: string[] = []
  const log = { warn: ({ host }: { host: string }) => void warned.push(host) } as never
  for (const host of [
    '127.0.0.1',
    '127.8.0.1',
    'localhost',
    '::1',
    '10.0.0.7',
    '0.0.0.0',
    '::',
    'localhost.example',
  ])
    warnIfExposed(log, { host, hasTls: false })
  warnIfExposed(log, { host: '10.0.0.8', hasTls: true })
  assert.deepEqual(warned, ['10.0.0.7', '0.0.0.0', '::', 'localhost.example'])
})
