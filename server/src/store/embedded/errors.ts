/** The bundled PostgreSQL cannot be used. The message is one line that says what to do. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
}

/** Turns errors of disks and permissions into an EmbeddedError. Other errors are broken invariants and are returned as they are. */
export function explainDiskError(err: unknown, dataDir: string): unknown {
  if (!isErrno(err)) return err
  // 53100 is PostgreSQL's own disk_full.
  if (err.code === 'ENOSPC' || err.code === 'EDQUOT' || err.code === '53100') return diskFullError(dataDir)
  if (err.code === 'EROFS')
    return new EmbeddedError(`${err.path ?? dataDir} is on a read-only disk: choose another data directory`)
  if (err.code === 'EACCES' || err.code === 'EPERM')
    return new EmbeddedError(
      `${err.path ?? dataDir} is not accessible to this user: choose another data directory, or start Chancery as the owner of this one`,
    )
  if (err.code === 'ENOTDIR' || err.code === 'EEXIST')
    return new EmbeddedError(`${err.path ?? dataDir} is not a directory: choose another data directory`)
  return err
}

export function diskFullError(dataDir: string): EmbeddedError {
  return new EmbeddedError(
    `the disk of ${dataDir} is full: free some space (a new database takes about 60 MB) and start again`,
  )
}

export interface Errno extends Error {
  code: string
  path?: string
}

export function isErrno(err: unknown): err is Errno {
  return err instanceof Error && 'code' in err && typeof err.code === 'string'
}

/** Resolves to undefined if the file or process does not exist. */
export async function unlessMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (err) {
    if (isErrno(err) && (err.code === 'ENOENT' || err.code === 'ESRCH')) return undefined
    throw err
  }
}
