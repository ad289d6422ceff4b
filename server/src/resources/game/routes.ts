import { operations } from '@chancery/contract'
import { one } from '../../http/answers.ts'
import type { DefineRoute } from '../../http/define-route.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { readGame } from './store.ts'

export function gameRoutes(define: DefineRoute, context: ReadContext): void {
  define(operations.gameGet, async ({ disclose }) => one(disclose, 'game', await readGame(context)))
}
