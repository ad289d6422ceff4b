import { operations } from '@chancery/contract'
import type { DefineOperation } from '../../http/define-operation.ts'
import { pageResult } from '../../http/define-operation.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { listNews } from './store.ts'

export function newsRoutes(define: DefineOperation, context: ReadContext): void {
  define(operations.newsList, async ({ values, disclose }) =>
    pageResult(disclose, 'news_item', await listNews(context, values)),
  )
}
