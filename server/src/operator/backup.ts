import { operatorOperations } from '@chancery/contract'
import { takeBackup } from '../backup/take-backup.ts'
import type { OperatorContext } from './context.ts'
import type { DefineOperatorRoute } from './define-operator-route.ts'

/** `POST /backup`: all of the database in one snapshot, as a stream that is whole when its last line is. */
export function backupRoutes(
  define: DefineOperatorRoute,
  { target, tokenWatch, version }: Pick<OperatorContext, 'target' | 'tokenWatch' | 'version'>,
): void {
  define(operatorOperations.backupTake, async ({ caller, reply }) => {
    const stop = tokenWatch.watch(caller, () => reply.raw.destroy())
    reply.raw.once('close', stop)
    return { contentType: 'application/gzip', body: takeBackup(target, version) }
  })
}
