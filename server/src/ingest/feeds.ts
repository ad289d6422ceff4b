import { type FeedPosition, limits } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'
import { reject } from './batch.ts'

/** A feed and the batch of it that was applied last. */
export interface Feed {
  name: string
  last_batch: string | null
  applied_at: string | null
}

export async function findFeed(db: Database, name: string): Promise<Feed> {
  const known = await db.first<Feed>(
    sql`select name, last_batch, applied_at from chancery_secret.feed where name = ${name}`,
  )
  return known ?? { name, last_batch: null, applied_at: null }
}

/**
 * Whether the last batch of a feed is the one that the new batch names. The ingest lock is held, so it does not change.
 * @throws {BatchRejectedError} where a new feed would exceed their number.
 */
export async function isFeedCurrent(db: Database, { name, after }: FeedPosition): Promise<boolean> {
  const { last_batch } = await findFeed(db, name)
  if (last_batch === null && after === null) {
    const feeds = await db.first<{ count: number }>(sql`select count(*) as count from chancery_secret.feed`)
    if (feeds && feeds.count >= limits.feeds)
      reject(0, '/feed/name', `the limit of ${limits.feeds} feeds is reached: use an existing feed name`)
  }
  return last_batch === after
}

export async function advanceFeed(
  db: Database,
  name: string,
  batch: string,
  loggedAt: string,
): Promise<void> {
  await db.rows(sql`
    insert into chancery_secret.feed (name, last_batch, applied_at) values (${name}, ${batch}, ${loggedAt})
    on conflict (name) do update set last_batch = excluded.last_batch, applied_at = excluded.applied_at`)
}
