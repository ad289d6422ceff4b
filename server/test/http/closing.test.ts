import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import tls from 'node:tls'
import type { ConnectionTimings } from '../../src/http/connections.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { longTimeouts, startTestServer, type TestServer } from '../support/test-server.ts'
import { allowedMs } from '../support/until.ts'
import { makeCertificate, withoutCertificates } from '../webhooks/certificate.ts'

let dir: string
let database: TestDatabase
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'chancery-closing-'))
  database = await createTestDatabase()
})
after(async () => {
  await database.drop()
  await rm(dir, { recursive: true, force: true })
})

/** Timings by which only the tested timeout ends a connection. */
const start = (env: Record<string, string> = {}, timings: Partial<ConnectionTimings> = {}) =>
  startTestServer(env, {
    databaseUrl: database.url,
    timings: {
      ...longTimeouts,
      connectionTimings: {
        headMs: 2_000,
        checkMs: 100,
        requestMs: 600_000,
        stalledMs: 600_000,
        idleMs: 600_000,
        lingerMs: 400,
        ...timings,
      },
    },
  })

/** A client that never closes its side. Resolves when the server has closed all of the connection. */
async function untilDestroyed(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  let received = ''
  socket.on('data', part => {
    received += part.toString('latin1')
  })
  // Writing to a connection that the peer has destroyed is an error; to one that it has half closed it is not.
  let probe: NodeJS.Timeout | undefined
  socket.once('end', () => {
    probe = setInterval(() => socket.write(' '), 50)
  })
  if (text !== '') socket.write(text, 'latin1')
  await new Promise<void>(resolve => socket.on('error', () => {}).once('close', () => resolve()))
  clearInterval(probe)
  return received
}

test('a connection without a request does not delay the shutdown', async () => {
  const chancery = await startTestServer()
  const { hostname, port } = new URL(chancery.url)
  const idle = connect(Number(port), hostname)
  await once(idle, 'connect')
  const requestedAt = performance.now()
  await chancery.read('/game')
  const startedAt = performance.now()
  await Promise.all([chancery.close(), once(idle.resume(), 'close')])
  assert.ok(performance.now() - startedAt < allowedMs(20_000, startedAt - requestedAt))
})

describe('a client that does not close its side', () => {
  let server: TestServer
  before(async () => {
    server = await start()
  })
  after(() => server.close())

  for (const [name, status, text] of [
    ['CONNECT', 405, 'CONNECT game.example:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['garbage', 400, 'garbage\r\n\r\n'],
    ['a header block too large', 431, `GET / HTTP/1.1\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['an unknown expectation', 417, 'GET / HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n'],
    ['a head that never ends', 408, 'GET / HTTP/1.1\r\nHost: x\r\n'],
    [
      'a body too large',
      400,
      'POST /developers/api/session HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n{',
    ],
    ['Connection: close', 200, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ] as const)
    test(`is disconnected after ${name}`, async () => {
      assert.match(await untilDestroyed(server.url, text), RegExp(`^HTTP/1\\.1 ${status} `))
    })
})

test('a client that reads only after it has sent all, as proxies do, gets the response', async t => {
  const server = await start({}, { lingerMs: 60_000 })
  t.after(() => server.close())
  const { hostname, port } = new URL(server.url)
  const bytes = 1_000_000
  for (const [status, head] of [
    [
      400,
      `POST /developers/api/session HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
    ],
    [431, 'GET / HTTP/1.1\r\nX-A: '],
  ] as const) {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    socket.pause().write(head)
    await new Promise<void>((resolve, reject) =>
      socket.write(Buffer.alloc(bytes, 'a'), error => (error ? reject(error) : resolve())),
    )
    const response = Buffer.concat(await socket.toArray()).toString()
    socket.end()
    assert.match(response, RegExp(`^HTTP/1\\.1 ${status} `))
  }
})

describe('with a certificate', { skip: withoutCertificates }, () => {
  let server: TestServer
  let ca: string
  before(async () => {
    const { key, cert } = makeCertificate('IP:127.0.0.1')
    ca = cert
    const files = { cert: join(dir, 'tls.crt'), key: join(dir, 'tls.key') }
    await writeFile(files.cert, cert)
    await writeFile(files.key, key)
    server = await start({
      CHANCERY_TLS_CERT: files.cert,
      CHANCERY_TLS_KEY: files.key,
      CHANCERY_OPERATOR_TLS_CERT: files.cert,
      CHANCERY_OPERATOR_TLS_KEY: files.key,
    })
  })
  after(() => server.close())

  /** The start of a TLS ClientHello; the rest of the handshake is not sent. */
  const halfHello = '\u0016\u0003\u0001\u0002\0\u0001\0'

  for (const listener of ['url', 'operatorUrl'] as const)
    test(`${listener}: a connection whose handshake is not finished in time is destroyed`, async () => {
      const received = ['', halfHello].map(bytes => untilDestroyed(server[listener], bytes))
      assert.deepEqual(await Promise.all(received), ['', ''])
    })

  test('every response has Strict-Transport-Security', async () => {
    const { hostname, port } = new URL(server.url)
    for (const [status, text] of [
      [200, 'GET /healthz HTTP/1.1'],
      [200, 'GET /docs/ HTTP/1.1'],
      [200, 'GET /developers HTTP/1.1'],
      [200, 'GET /developers/api/page HTTP/1.1'],
      [404, 'GET /developers/api/none HTTP/1.1'],
      [200, 'GET /api/v1/nations HTTP/1.1'],
      [401, 'GET /api/v1/me/nation HTTP/1.1'],
      [404, 'GET /nowhere HTTP/1.1'],
      [400, 'GET /%zz HTTP/1.1'],
      [204, 'OPTIONS /api/v1/nations HTTP/1.1'],
      [405, 'CONNECT game.example:443 HTTP/1.1'],
      [400, 'garbage'],
      [417, 'GET / HTTP/1.1\r\nExpect: foo'],
    ] as const) {
      const socket = tls.connect({ port: Number(port), host: hostname, ca })
      socket.write(`${text}\r\nHost: x\r\nConnection: close\r\n\r\n`)
      const response = Buffer.concat(await socket.toArray()).toString()
      assert.match(response, RegExp(`^HTTP/1\\.1 ${status} `), text)
      assert.equal(response.match(/^strict-transport-security: max-age=31536000\r$/gm)?.length, 1, text)
    }
  })

  test('a client that sends plain HTTP is disconnected', async () => {
    for (const url of [server.url, server.operatorUrl])
      assert.equal(await untilDestroyed(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'), '')
  })

  test('a client that does not close its side is disconnected', async () => {
    const { hostname, port } = new URL(server.url)
    const socket = tls.connect({ port: Number(port), host: hostname, ca })
    const closed = new Promise<void>(resolve => socket.on('error', () => {}).once('close', () => resolve()))
    socket.resume().write('CONNECT game.example:443 HTTP/1.1\r\nHost: x\r\n\r\n')
    const sending = setInterval(() => socket.write(' '), 50)
    await closed
    clearInterval(sending)
  })
})
