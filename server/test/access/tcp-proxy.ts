import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

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

export async function startTcpProxy(t: TestContext, databaseUrl: string): Promise<TcpProxy> {
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
