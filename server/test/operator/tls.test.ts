import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { ConfigError, readConfig, StartupError } from '../../src/index.ts'
import { warnIfExposed } from '../../src/operator/operator-api.ts'
import type { ServerTimings } from '../../src/start/server.ts'
import { closeAfter } from '../support/close-after.ts'
import { longTimeouts, startTestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { makeCertificate, makeRsaCertificate, withoutCertificates } from '../webhooks/certificate.ts'

const dir = await mkdtemp(join(tmpdir(), 'chancery-operator-tls-'))
after(() => rm(dir, { recursive: true }))
const shared = closeAfter(await startTestServer())

const start = (env: Record<string, string>, timings: ServerTimings = longTimeouts) =>
  startTestServer(env, { databaseUrl: shared.databaseUrl, timings })

/** Writes a certificate and its key. Returns their files. */
async function writeFiles(name: string, { cert, key }: { cert: string; key: string }) {
  const files = { cert: join(dir, `${name}.crt`), key: join(dir, `${name}.key`) }
  await writeFile(files.cert, cert)
  await writeFile(files.key, key)
  return files
}
const operatorTls = ({ cert, key }: { cert: string; key: string }) => ({
  CHANCERY_OPERATOR_TLS_CERT: cert,
  CHANCERY_OPERATOR_TLS_KEY: key,
})

describe('the operator API with a certificate', { skip: withoutCertificates }, () => {
  test('is reached over TLS with an https URL, independent of the public listener', async t => {
    const { key, cert } = makeCertificate('IP:127.0.0.1')
    const server = closeAfter(await start(operatorTls(await writeFiles('listener', { cert, key }))), t)
    assert.match(server.operatorUrl, /^https:/)
    assert.match(server.url, /^http:/)
    const addresses = JSON.parse(await readFile(join(server.dataDir, 'addresses.json'), 'utf8'))
    assert.equal(addresses.operator, server.operatorUrl)

    const requestWith = async (ca: string | undefined) => {
      const req = request(`${server.operatorUrl}/status`, {
        agent: false,
        headers: { authorization: `Bearer ${server.operatorToken}` },
        ...(ca ? { ca } : {}),
      }).end()
      const [res] = await once(req, 'response')
      return { status: res.statusCode, body: JSON.parse(await text(res)) }
    }
    const response = await requestWith(cert)
    assert.deepEqual([response.status, response.body.seq], [200, 0])
    await assert.rejects(requestWith(undefined), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    await assert.rejects(fetch(server.operatorUrl.replace('https:', 'http:')))
  })

  test('serves a renewed certificate on both listeners, and never a partial one', async t => {
    const [first, second] = [makeCertificate('IP:127.0.0.1'), makeCertificate('IP:127.0.0.1')]
    const files = await writeFiles('renewed', first)
    const env = { CHANCERY_TLS_CERT: files.cert, CHANCERY_TLS_KEY: files.key, ...operatorTls(files) }
    const server = closeAfter(await start(env, { ...longTimeouts, certificatesEveryMs: 10 }), t)
    const isUsedBy = async (url: string, ca: string) => {
      const req = request(url, { agent: false, ca }).end()
      return once(req, 'response').then(
        ([res]) => res.resume() && true,
        () => false,
      )
    }
    const isUsed = async (ca: string) =>
      (await isUsedBy(`${server.operatorUrl}/docs`, ca)) && (await isUsedBy(`${server.url}/healthz`, ca))
    assert.ok(await isUsed(first.cert))
    await writeFile(files.cert, second.cert)
    // Long enough for many checks of the files.
    for (let turn = 0; turn < 20; turn += 1)
      assert.ok(await isUsed(first.cert), 'a key without its certificate')
    await writeFile(files.key, second.key)
    await until(() => isUsed(second.cert), 'the renewed certificate is used')
    // OpenSSL accepts a key of another kind, and then every handshake fails.
    const third = makeRsaCertificate('IP:127.0.0.1')
    await writeFile(files.cert, third.cert)
    for (let turn = 0; turn < 20; turn += 1)
      assert.ok(await isUsed(second.cert), 'a certificate with a key of another kind')
    await writeFile(files.key, third.key)
    await until(() => isUsed(third.cert), 'the certificate of another kind is used')
    await rm(files.key)
    await writeFile(files.cert, '')
    for (let turn = 0; turn < 20; turn += 1) assert.ok(await isUsed(third.cert), 'no certificate')
  })

  test('does not start with an invalid certificate or one of another key', async () => {
    const [one, other] = [makeCertificate('IP:127.0.0.1'), makeCertificate('IP:127.0.0.1')]
    const rsa = makeRsaCertificate('IP:127.0.0.1')
    for (const [cert, key] of [
      [one.cert, other.key],
      [one.cert, rsa.key],
      [rsa.cert, one.key],
      [one.cert, ''],
      ['none', one.key],
    ] as const) {
      const files = await writeFiles('wrong', { cert, key })
      await assert.rejects(
        start(operatorTls(files)),
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
    start(operatorTls({ cert: '/nowhere.crt', key: '/nowhere.key' })),
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
