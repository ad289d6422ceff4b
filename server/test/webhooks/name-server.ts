import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { type Answer, decode, encode, RECURSION_AVAILABLE } from 'dns-packet'

/** The response code for a name that does not exist (RFC 1035). */
const nameError = 3

/** A DNS server whose records a test can change. */
export interface NameServer {
  /** Sets the addresses of a name; `undefined`: no response. Other names do not exist. */
  setAddresses(name: string, addresses: string[] | undefined): void
  /** The number of queries for a name, of any record type. */
  queryCount(name: string): number
  createResolver(): Resolver
}

export async function startNameServer(t: TestContext): Promise<NameServer> {
  const records = new Map<string, string[] | undefined>()
  const queried: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, caller) => {
    const { id, questions = [] } = decode(query)
    const [question] = questions
    if (!question) return
    // Resolvers may mix capitals into a name.
    const name = question.name.toLowerCase()
    queried.push(name)
    const addresses = records.get(name)
    if (records.has(name) && !addresses) return
    const answers = (addresses ?? [])
      .map((data): Answer => ({ type: data.includes(':') ? 'AAAA' : 'A', name: question.name, data }))
      .filter(({ type }) => type === question.type)
    const flags = RECURSION_AVAILABLE | (addresses ? 0 : nameError)
    socket.send(encode({ type: 'response', id, flags, questions, answers }), caller.port, caller.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return {
    setAddresses: (name, addresses) => void records.set(name, addresses),
    queryCount: name => queried.filter(other => other === name).length,
    createResolver() {
      const resolver = new Resolver({ timeout: 60_000, tries: 1 })
      resolver.setServers([`127.0.0.1:${socket.address().port}`])
      return resolver
    },
  }
}
