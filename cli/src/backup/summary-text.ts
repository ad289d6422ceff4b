import type { BackupSummary } from '@chancery/server'
import { counted } from '../numbers.ts'

export const rowCount = ({ rows }: BackupSummary): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0)

/** What a backup holds, in one line. */
export const contentsText = (summary: BackupSummary): string =>
  `taken ${summary.taken_at} by Chancery ${summary.chancery}: ${counted(rowCount(summary), 'row')} of ${Object.keys(summary.rows).length} tables, the log up to ${summary.seq}`
