import { operations } from '@chancery/contract'
import type { DefineOperation } from '../../http/define-operation.ts'
import { itemResult } from '../../http/define-operation.ts'
import type { ReadContext } from '../../store/read-context.ts'
import { readGame } from './store.ts'

export function gameRoutes(define: DefineOperation, context: ReadContext): void {
  define(operations.gameGet, async ({ disclose }) => itemResult(disclose, 'game', await readGame(context)))
}
