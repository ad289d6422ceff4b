import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { listen } from './listen.ts'
import { startTestServer, type TestServer } from './test-server.ts'
import { until } from './until.ts'

/** A proxy between a server and its database or Redis, which simulates failures of the network. */
export interface TcpProxy {
  /** The target's URL, through the proxy. */
  url: string
  /** Ends all connections and refuses new ones. */
  cut(): void
  /** Keeps connections and accepts new ones, but forwards nothing. */
  pause(): void
  /** Forwards nothing on existing connections; new ones work. */
  pauseExisting(): void
  /** Ends all connections; new ones work. */
  restore(): void
  /** Connects new connections to another target, as after a failover. */
  routeTo(url: string): void
  /** The number of connections ever accepted. */
  connectionCount(): number
}

type Owner = Pick<TestContext, 'after'>

/** `targetUrl` is a database's or Redis's. */
export async function startTcpProxy(t: Owner, targetUrl: string): Promise<TcpProxy> {
  let target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let state: 'open' | 'cut' | 'paused' = 'open'
  let connections = 0

  function connectTarget(): Socket {
    const host = decodeURIComponent(target.hostname)
    const port = Number(target.port || 5432)
    return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  }
  const proxy = createServer(client => {
    connections += 1
    sockets.add(client)
    client.on('error', () => client.destroy())
    client.on('close', () => sockets.delete(client))
    if (state === 'cut') return client.destroy()
    if (state === 'paused') return
    const server = connectTarget()
    sockets.add(server)
    server.on('error', () => client.destroy())
    server.on('close', () => {
      sockets.delete(server)
      client.destroy()
    })
    client.on('close', () => server.destroy())
    client.pipe(server).pipe(client)
  })
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const pauseExisting = () => {
    for (const socket of sockets) socket.unpipe().pause()
  }
  const through = new URL(targetUrl)
  through.host = `127.0.0.1:${await listen(proxy, t)}`
  t.after(destroyAll)
  return {
    url: through.href,
    cut() {
      state = 'cut'
      destroyAll()
    },
    pause() {
      state = 'paused'
      pauseExisting()
    },
    pauseExisting,
    restore() {
      state = 'open'
      destroyAll()
    },
    routeTo(url) {
      target = new URL(url)
    },
    connectionCount: () => connections,
  }
}

/** A server that reaches its database through a proxy. It waits for the database longer than a real one, as the machine may be busy. */
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

/** Requests a path of the public API until the response has this status. */
export function untilStatus(status: number, server: TestServer, path: string, key?: string): Promise<void> {
  const hasStatus = async () => {
    const response = await server.get(path, key === undefined ? {} : { key })
    await response.arrayBuffer()
    return response.status === status
  }
  return until(hasStatus, `${path} has status ${status}`)
}
