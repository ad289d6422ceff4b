import { versionOf } from '../machine.ts'
import { type Postgres, startChild, startRedis, startService, type Target } from '../servers.ts'
import { startNginx } from './nginx.ts'
import { startPeers } from './peers.ts'

/** Starts one process, which is a target with keys and without. */
async function startChancery(databaseUrl: string, redisUrl?: string): Promise<Target[]> {
  const redis: Record<string, string> = redisUrl === undefined ? {} : { CHANCERY_VALKEY_URL: redisUrl }
  const { publicUrl: url, pid } = await startService(
    { CHANCERY_DATABASE_URL: databaseUrl, ...redis },
    'server',
  )
  return redisUrl === undefined
    ? [
        { id: 'chancery', title: 'Chancery', url, pid },
        { id: 'chancery-keys', title: 'Chancery, keys', url, pid },
      ]
    : [
        { id: 'chancery-redis', title: 'Chancery, Redis', url, pid },
        { id: 'chancery-redis-keys', title: 'Chancery, keys, Redis', url, pid },
      ]
}

async function startBare(id: 'node' | 'fastify', title: string): Promise<Target> {
  const child = await startChild(new URL('bare.ts', import.meta.url), { framework: id }, 'server')
  return { ...child, id, title, replay: response => child.request(response) }
}

/** Starts every target that is installed. `nginxPaths`: what nginx serves from disk. */
export async function startTargets(
  postgres: Postgres,
  { peers, nginxPaths }: { peers: boolean; nginxPaths: readonly string[] },
): Promise<{ targets: Target[]; leftOut: string[] }> {
  const targets: Target[] = []
  const leftOut: string[] = []
  targets.push(...(await startChancery(postgres.url)))
  const [chancery] = targets
  if (versionOf('redis-server', '--version') === undefined)
    leftOut.push('Chancery with Redis (redis-server is not installed)')
  else targets.push(...(await startChancery(postgres.url, (await startRedis()).url)))
  targets.push(await startBare('node', 'bare node:http'), await startBare('fastify', 'bare Fastify'))
  const plain = new URL('plain.ts', import.meta.url)
  targets.push({
    ...(await startChild(plain, { databaseUrl: postgres.url }, 'server')),
    id: 'plain',
    title: 'Fastify + pg',
  })
  if (peers) targets.push(...(await startPeers(postgres)))
  else leftOut.push('Platformatic DB and PostGraphile (measured with --peers)')
  if (versionOf('nginx', '-v') === undefined) leftOut.push('nginx (not installed)')
  else
    for (const logs of [false, true])
      targets.push(await startNginx(chancery?.url ?? '', nginxPaths, { logs }))
  return { targets, leftOut }
}
