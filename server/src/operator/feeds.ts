import { feedPosition, operatorOperations } from '@chancery/contract'
import { Compile } from 'typebox/compile'
import { notFound } from '../http/api-error.ts'
import { findFeed } from '../ingest/index.ts'
import type { OperatorContext } from './context.ts'
import type { DefineOperatorRoute } from './define-operator-route.ts'

const names = Compile(feedPosition().properties.name)

/** Where a feed stands: what a sender whose batches build on each other asks before it begins. */
export function feedRoutes(define: DefineOperatorRoute, { pools }: Pick<OperatorContext, 'pools'>): void {
  define(operatorOperations.feedsGet, async ({ id: name }) => {
    if (!names.Check(name)) throw notFound('feed of this name')
    return { body: await findFeed(pools.ingest, name) }
  })
}
