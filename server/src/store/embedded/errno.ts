export interface Errno extends Error {
  code: string
  path?: string
}

export function isErrno(err: unknown): err is Errno {
  return err instanceof Error && 'code' in err && typeof err.code === 'string'
}

/** Resolves to undefined where the file or process asked for is not there. */
export async function unlessMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (err) {
    if (isErrno(err) && (err.code === 'ENOENT' || err.code === 'ESRCH')) return undefined
    throw err
  }
}
