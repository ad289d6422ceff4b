import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import ipaddr from 'ipaddr.js'

const types = new Map([
  [1, 'A'],
  [28, 'AAAA'],
])

/** A name server whose answers a test may change between look-ups. */
export interface NameServer {
  /** What a name stands for from now on; `undefined`: nothing is answered. A name that was never said does not exist. */
  say(name: string, addresses: string[] | undefined): void
  /** How often a name was asked for, whatever the kind of address. */
  askedCount(name: string): number
  createResolver(): Resolver
}

export async function startNameServer(t: TestContext): Promise<NameServer> {
  const said = new Map<string, string[] | undefined>()
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, caller) => {
    const { name, type, end } = readQuestion(query)
    asked.push(name)
    const addresses = said.get(name)
    if (said.has(name) && !addresses) return
    const records = addresses?.filter(address => (address.includes(':') ? 'AAAA' : 'A') === type).map(record)
    // A response that is recursive; 3: there is no such name.
    const flags = records ? 0x8180 : 0x8183
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    for (const [index, value] of [flags, 1, records?.length ?? 0].entries())
      header.writeUInt16BE(value, 2 + index * 2)
    socket.send(
      Buffer.concat([header, query.subarray(12, end), ...(records ?? [])]),
      caller.port,
      caller.address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return {
    say: (name, addresses) => void said.set(name, addresses),
    askedCount: name => asked.filter(other => other === name).length,
    createResolver() {
      const resolver = new Resolver({ timeout: 2_000, tries: 1 })
      resolver.setServers([`127.0.0.1:${socket.address().port}`])
      return resolver
    },
  }
}

function readQuestion(query: Buffer): { name: string; type: string | undefined; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  // Resolvers may mix capitals into a name, and want them back.
  return { name: labels.join('.').toLowerCase(), type: types.get(query.readUInt16BE(at + 1)), end: at + 5 }
}

/** The name (where the question has it), type, class, no time to live, and the address. */
function record(address: string): Buffer {
  const bytes = ipaddr.parse(address).toByteArray()
  const type = bytes.length === 4 ? 1 : 28
  return Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes])
}
