import { operations } from '@chancery/contract'
import { many } from '../../http/answers.ts'
import type { DefineRoute } from '../../http/define-route.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listNews } from './store.ts'

export function newsRoutes(define: DefineRoute, context: ReadContext): void {
  define(operations.newsList, async ({ values, disclose }) =>
    many(disclose, 'news_item', await listNews(context, values)),
  )
}
