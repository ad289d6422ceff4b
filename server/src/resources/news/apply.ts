import type { PublicOf, ResourceOf } from '@chancery/contract'
import type { Batch, Change } from '../../ingest/batch.ts'
import { mergeChanges } from '../../ingest/changes.ts'
import { createTableStore } from '../../ingest/entity-store.ts'

type NewsItem = PublicOf<ResourceOf<'news_item'>>

const store = createTableStore<NewsItem>('news_item', 'chancery_world.news_item')

/** Applies facts about news. */
export async function applyNews(batch: Batch, changes: Change[]): Promise<void> {
  for (const { line, data } of changes) {
    const { nation_ids, alliance_ids } = data as Partial<NewsItem>
    for (const id of nation_ids ?? []) batch.requireKnown('nation', id, line, '/data/nation_ids')
    for (const id of alliance_ids ?? []) batch.requireKnown('alliance', id, line, '/data/alliance_ids')
  }
  for (const { line, before, after } of await mergeChanges(batch, store, changes)) {
    if (before || !after) continue
    const metadata = {
      line,
      at: after.published_at,
      nations: after.nation_ids,
      alliances: after.alliance_ids,
    }
    batch.emit('news.published', metadata, {
      news_id: after.id,
      title: after.title,
      category: after.category,
    })
  }
}
