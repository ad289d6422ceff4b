import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import { publicColumns } from '../../store/fact-columns.ts'
import { allOf, type Page, readPage } from '../../store/paging.ts'
import type { ReadContext } from '../../store/read-context.ts'

export type NewsItem = PublicOf<ResourceOf<'news_item'>>

const columns = publicColumns('news_item', 'i')

export function listNews(
  context: ReadContext,
  { category, ...request }: ValuesFor<typeof operations.newsList>,
): Promise<Page<NewsItem>> {
  const where = allOf([category === undefined ? undefined : sql`i.category = ${category}`])
  return readPage<NewsItem>(context.pools.public, request, {
    columns: columns(context),
    from: sql`chancery_world.news_item i where ${where}`,
    order: sql`i.published_at desc, i.id`,
    reversed: sql`i.published_at, i.id desc`,
    deferredJoin: {
      alias: sql`i`,
      columns: sql`i.published_at, i.id`,
      joins: sql`join chancery_world.news_item i on i.id = chosen.id`,
    },
  })
}
