import { startChild } from './child.ts'
import type { Contestant } from './contestant.ts'

/** Servers that know one answer, which was recorded from Chancery. */
const bareServers = {
  node: { title: 'bare node:http', file: 'bare-http.ts' },
  fastify: { title: 'bare Fastify', file: 'bare-fastify.ts' },
}

export async function startBare(id: keyof typeof bareServers): Promise<Contestant> {
  const { title, file } = bareServers[id]
  const { tell, ...child } = await startChild(file, 'listen')
  return { id, title, ...child, replay: tell }
}
