import { operations } from '@chancery/contract'
import { createItemSerializer } from '../disclosure/disclosure.ts'
import { type Handlers, pageResult } from '../http/define-operation.ts'
import type { DefineStream } from '../http/define-stream.ts'
import { ApiError } from '../http/http-error.ts'
import type { ReadContext } from '../store/fact-columns.ts'
import type { ChangeHorizon } from './change-horizon.ts'
import { createChangeTail } from './change-stream.ts'
import { findChangeStart, listChanges } from './store.ts'

export interface ChangeContext extends ReadContext {
  horizon: ChangeHorizon
}

/** The page of a client whose position is no longer stored would have a gap. */
const expired = () =>
  new ApiError(
    'cursor_expired',
    'Changes after this number are no longer stored, or it does not exist yet. Load the newest snapshot, and continue after its change_seq.',
  )

export const changeHandlers = ({ pools, horizon }: ChangeContext): Pick<Handlers, 'changesList'> => ({
  async changesList({ values, disclose }) {
    const page = await listChanges(pools.public, values, horizon.current())
    if (page === 'cursor_expired') throw expired()
    return pageResult(disclose, 'change', page)
  },
})

export function changeStreamRoutes(
  define: DefineStream,
  { pools, contract, horizon, onDelivered }: ChangeContext & { onDelivered: (count: number) => void },
): void {
  const write = createItemSerializer(contract, 'change')
  const tail = createChangeTail({ db: pools.public, horizon, write, onDelivered })
  define(operations.changesStream, async ({ values }) => {
    const after = values['Last-Event-ID'] ?? values.after
    const start = await findChangeStart(pools.public, after)
    if (start === 'cursor_expired') throw expired()
    return writer => tail.openStream(writer, { after: after ?? start.newest, resource: values.resource })
  })
}
