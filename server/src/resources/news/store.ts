import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import { allOf, type Page, readPage } from '../../store/paging.ts'
import type { ReadContext } from '../../store/read-context.ts'

export type NewsItem = PublicOf<ResourceOf<'news_item'>>

export function listNews(
  { pools }: ReadContext,
  { category, ...request }: ValuesFor<typeof operations.newsList>,
): Promise<Page<NewsItem>> {
  const where = allOf([category === undefined ? undefined : sql`category = ${category}`])
  return readPage<NewsItem>(pools.public, request, {
    columns: sql`id, title, body, category, author, published_at, nation_ids, alliance_ids`,
    from: sql`chancery_world.news_item where ${where}`,
    order: sql`published_at desc, id`,
  })
}
