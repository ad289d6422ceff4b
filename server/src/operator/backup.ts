import { operatorOperations } from '@chancery/contract'
import { takeBackup } from '../backup/take-backup.ts'
import type { DefineOperatorOperation, OperatorContext } from './define-operator-operation.ts'

/** `POST /backup`: a snapshot of the database as a stream, complete when its last line is. */
export function backupRoutes(
  define: DefineOperatorOperation,
  { target, tokenWatcher, version }: Pick<OperatorContext, 'target' | 'tokenWatcher' | 'version'>,
): void {
  define(operatorOperations.backupTake, async ({ caller, reply }) => {
    const stop = tokenWatcher.watch(caller.id, () => reply.raw.destroy())
    reply.raw.once('close', stop)
    return { contentType: 'application/gzip', body: takeBackup(target, version) }
  })
}
