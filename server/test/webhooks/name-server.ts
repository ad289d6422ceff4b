import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { type Answer, decode, encode, RECURSION_AVAILABLE } from 'dns-packet'

/** The response code for a name that does not exist (RFC 1035). */
const nameError = 3

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
    const { id, questions = [] } = decode(query)
    const [question] = questions
    if (!question) return
    // Resolvers may mix capitals into a name.
    const name = question.name.toLowerCase()
    asked.push(name)
    const addresses = said.get(name)
    if (said.has(name) && !addresses) return
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
    say: (name, addresses) => void said.set(name, addresses),
    askedCount: name => asked.filter(other => other === name).length,
    createResolver() {
      const resolver = new Resolver({ timeout: 60_000, tries: 1 })
      resolver.setServers([`127.0.0.1:${socket.address().port}`])
      return resolver
    },
  }
}
