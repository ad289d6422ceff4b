/** Why a backup cannot be made or restored, in one line that says what to do. */
export class BackupError extends Error {
  override name = 'BackupError'
}

export const damagedError = (what: string): BackupError =>
  new BackupError(`the backup is damaged or cut off (${what}): nothing of it was restored; take another copy`)
