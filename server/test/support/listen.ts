import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import type { TestContext } from 'node:test'

/** Listens on a free port of the loopback, until the test ends if `t` is given. Resolves with the port. */
export async function listen(
  server: Server & { closeAllConnections?(): void },
  t?: Pick<TestContext, 'after'>,
): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t?.after(() => {
    server.closeAllConnections?.()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
