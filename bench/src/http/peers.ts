import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchRequest } from '../load.ts'
import { type Postgres, startChild } from '../servers.ts'
import type { Target } from './workloads.ts'

/** Generic API servers over PostgreSQL, in the versions that were compared. */
const versions = { '@platformatic/db': '3.67.0', postgraphile: '5.1.5', pg: '8.23.1' }

/** Installs the peers into a temporary folder, which later runs use again. They are no dependency of ours. */
async function installPeers(): Promise<string> {
  const folder = join(
    tmpdir(),
    `chancery-bench-peers-${process.getuid?.() ?? 0}-${Object.values(versions).join('-')}`,
  )
  const done = join(folder, 'installed')
  if (existsSync(done)) return folder
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: versions }),
  )
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error']
  const npm = spawn('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] })
  const [code] = await once(npm, 'exit')
  if (code !== 0) throw new Error(`npm install of the peers in ${folder} failed with status ${code}`)
  await writeFile(done, '')
  return folder
}

/** Starts both, as a role that may read the public tables. */
export async function startPeers({ db, url }: Postgres): Promise<Target[]> {
  const folder = await installPeers()
  const reader = Object.assign(new URL(url), { username: 'bench_reader' })
  await db.query(
    `create role bench_reader login password '${decodeURIComponent(reader.password)}' in role chancery_public`,
  )
  // The catalogue shows primary keys only to roles that may reference them; Platformatic DB needs to see them.
  await db.query('grant references on all tables in schema chancery_world to bench_reader')
  const peers = [
    { id: 'platformatic', title: 'Platformatic DB', name: '@platformatic/db' },
    { id: 'postgraphile', title: 'PostGraphile', name: 'postgraphile' },
  ] as const
  return Promise.all(
    peers.map(async ({ id, title, name }) => {
      const order = { id, folder, databaseUrl: reader.href }
      const child = await startChild(new URL('peer-server.ts', import.meta.url), order, 'server')
      const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')
      const { version } = JSON.parse(manifest) as { version: string }
      return { ...child, id, title: `${title} ${version}` }
    }),
  )
}

// The same page or nation in the peers' own APIs. They have no ranking: their order is by score and id, for which there is an index. There
// are no foreign keys, so their nations are without rank and alliance, which saves them three joins.

const pageSize = 25

export function platformaticRequest({ path }: BenchRequest): BenchRequest {
  const wanted = wantedBy(path)
  if ('id' in wanted) return { path: `/chanceryWorldNation/${wanted.id}` }
  const order = 'orderby.nationalScore=desc&orderby.id=asc'
  return {
    path: `/chanceryWorldNation/?${order}&totalCount=true&limit=${pageSize}&offset=${(wanted.page - 1) * pageSize}`,
  }
}

const fields = `rowId nationName leaderName nationalScore status government continent color flagUrl motto foundedAt cityCount
  landArea attributes updatedAt activeOffensive activeDefensive warsWon warsLost`
const pageQuery = `query Page($first: Int!, $offset: Int!) {
  allNations(first: $first, offset: $offset, orderBy: [NATIONAL_SCORE_DESC, ROW_ID_ASC]) { totalCount nodes { ${fields} } }
}`
const nationQuery = `query Nation($id: String!) { nationByRowId(rowId: $id) { ${fields} } }`

/** Always one of two queries, so that it plans them once. */
export function postGraphileRequest({ path }: BenchRequest): BenchRequest {
  const wanted = wantedBy(path)
  const body =
    'id' in wanted
      ? { query: nationQuery, variables: wanted }
      : { query: pageQuery, variables: { first: pageSize, offset: (wanted.page - 1) * pageSize } }
  return { path: '/graphql', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function wantedBy(path: string): { id: string } | { page: number } {
  const id = /\/nations\/([^/?]+)$/.exec(path)?.[1]
  return id === undefined ? { page: Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 1) } : { id }
}
