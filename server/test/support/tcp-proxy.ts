import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { startTestServer, type TestServer } from './test-server.ts'
import { until } from './until.ts'

/** Stands between a server and its database, as a network does. */
export interface TcpProxy {
  /** The database's URL, through the proxy. */
  url: string
  /** Ends all connections and takes no new ones. */
  cut(): void
  /** Keeps connections and takes new ones, but passes nothing on. */
  silence(): void
  restore(): void
}

type Owner = Pick<TestContext, 'after'>

export async function startTcpProxy(t: Owner, databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl)
  const host = decodeURIComponent(target.hostname)
  const sockets = new Set<Socket>()
  let state: 'open' | 'cut' | 'silent' = 'open'

  const proxy = createServer(caller => {
    sockets.add(caller)
    caller.on('error', () => caller.destroy())
    caller.on('close', () => sockets.delete(caller))
    if (state === 'cut') return caller.destroy()
    if (state === 'silent') return
    const port = Number(target.port || 5432)
    const database = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    sockets.add(database)
    database.on('error', () => caller.destroy())
    database.on('close', () => {
      sockets.delete(database)
      caller.destroy()
    })
    caller.on('close', () => database.destroy())
    caller.pipe(database).pipe(caller)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.after(() => {
    destroyAll()
    proxy.close()
  })
  const through = new URL(databaseUrl)
  through.host = `127.0.0.1:${address.port}`
  return {
    url: through.href,
    cut() {
      state = 'cut'
      destroyAll()
    },
    silence() {
      state = 'silent'
      for (const socket of sockets) socket.unpipe().pause()
    },
    restore() {
      state = 'open'
      destroyAll()
    },
  }
}

/**
 * A server whose way to the database can be cut. It waits for the database a little longer than a real one, so that a busy machine is not
 * taken for a database that is away.
 */
export async function startBehindProxy(
  t: Owner,
  databaseUrl: string,
): Promise<{ server: TestServer; proxy: TcpProxy }> {
  const proxy = await startTcpProxy(t, databaseUrl)
  const server = await startTestServer({}, { databaseUrl: proxy.url, timings: { databaseTimeoutFactor: 3 } })
  t.after(async () => {
    proxy.restore()
    await server.close()
  })
  return { server, proxy }
}

/** Calls a path of the public API until it has this status. */
export function untilStatus(status: number, server: TestServer, path: string, key?: string): Promise<void> {
  const call = async () => {
    const response = await server.get(path, key === undefined ? {} : { key })
    await response.arrayBuffer()
    return response.status === status
  }
  return until(call, `${path} has status ${status}`)
}
