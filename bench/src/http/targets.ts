import { type BenchRequest, fetchOnce, headerOf } from '../load.ts'
import { versionOf } from '../machine.ts'
import { type Postgres, startChild, startRedis, startService } from '../servers.ts'
import { startNginx } from './nginx.ts'
import { platformaticRequest, postGraphileRequest, startPeers } from './peers.ts'
import type { Target, Workload } from './workloads.ts'

/** Starts every target that is installed, Chancery first. `nginxPaths`: what nginx serves from disk. */
export async function startTargets(
  postgres: Postgres,
  { peers, nginxPaths }: { peers: boolean; nginxPaths: readonly string[] },
): Promise<{ targets: Target[]; leftOut: string[] }> {
  const targets: Target[] = []
  const leftOut: string[] = []
  /** One process, which is a target without keys and with them. */
  const addChancery = async (
    id: 'chancery' | 'chancery-redis',
    place: string,
    env: Record<string, string>,
  ) => {
    const { publicUrl: url, pid } = await startService(
      { CHANCERY_DATABASE_URL: postgres.url, ...env },
      'server',
    )
    targets.push({ id, title: `Chancery${place}`, url, pid })
    targets.push({ id: `${id}-keys`, title: `Chancery, keys${place}`, url, pid })
    return url
  }
  const url = await addChancery('chancery', '', {})
  if (versionOf('redis-server', '--version') === undefined)
    leftOut.push('Chancery with Redis (redis-server is not installed)')
  else await addChancery('chancery-redis', ', Redis', { CHANCERY_VALKEY_URL: (await startRedis()).url })
  const bare = { node: 'bare node:http', fastify: 'bare Fastify' } as const
  for (const [id, title] of Object.entries(bare) as [keyof typeof bare, string][]) {
    const child = await startChild(new URL('bare.ts', import.meta.url), { framework: id }, 'server')
    targets.push({ ...child, id, title, replay: response => child.request(response) })
  }
  const plain = new URL('plain.ts', import.meta.url)
  const child = await startChild(plain, { databaseUrl: postgres.url }, 'server')
  targets.push({ ...child, id: 'plain', title: 'Fastify + pg' })
  if (peers) targets.push(...(await startPeers(postgres)))
  else leftOut.push('Platformatic DB and PostGraphile (measured with --peers)')
  if (versionOf('nginx', '-v') === undefined) leftOut.push('nginx (not installed)')
  else for (const logs of [false, true]) targets.push(await startNginx(url, nginxPaths, { logs }))
  return { targets, leftOut }
}

const withHeader = (request: BenchRequest, name: string, value: string): BenchRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
})

/** The requests of a workload in the form that a target takes. */
export async function requestsFor(
  { requests, isPrivate }: Pick<Workload, 'requests' | 'isPrivate'>,
  { id, url }: Pick<Target, 'id' | 'url'>,
  keys: readonly string[],
): Promise<BenchRequest[]> {
  const withKey = (request: BenchRequest, key = '') => withHeader(request, 'authorization', `Bearer ${key}`)
  if (id === 'platformatic') return requests.map(platformaticRequest)
  if (id === 'postgraphile') return requests.map(postGraphileRequest)
  if (id.endsWith('-keys'))
    return isPrivate
      ? requests.map((request, index) => withKey(request, keys[index]))
      : requests.flatMap(request => keys.map(key => withKey(request, key)))
  if (id.startsWith('nginx') && requests[0]?.headers?.['if-none-match'] !== undefined)
    // It has entity tags of its own.
    return Promise.all(
      requests.map(async request => {
        const etag = headerOf(await fetchOnce(url, { path: request.path }), 'etag') ?? ''
        return withHeader(request, 'if-none-match', etag)
      }),
    )
  return requests
}
