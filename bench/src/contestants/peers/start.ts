import { startChild } from '../child.ts'
import type { Contestant } from '../contestant.ts'
import { installPeers, versionIn } from './install.ts'

/** The peers, each a process over the same tables with as many connections as Chancery's public reads have. */
export async function startPeers(databaseUrl: string): Promise<Contestant[]> {
  const folder = await installPeers()
  const order = { folder, databaseUrl }
  const [platformatic, postgraphile] = await Promise.all(
    ['peers/platformatic.ts', 'peers/postgraphile.ts'].map(file => startChild(file, order)),
  )
  if (!platformatic || !postgraphile) throw new Error('a peer has not started')
  return [
    {
      ...platformatic,
      id: 'platformatic',
      title: `Platformatic DB ${await versionIn(folder, '@platformatic/db')}`,
    },
    { ...postgraphile, id: 'postgraphile', title: `PostGraphile ${await versionIn(folder, 'postgraphile')}` },
  ]
}
