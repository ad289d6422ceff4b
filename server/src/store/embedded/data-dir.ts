import { chmod, mkdir, realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isErrno } from './errno.ts'
import { makeDirectory } from './make-directory.ts'

/**
 * Makes the data directory if needed and resolves to its real path.
 * Made by root, others may pass it (its files are of mode 600 themselves): then the cluster, which belongs to
 * another user, lies inside, and the data directory is whole for a backup or a volume.
 */
export async function openDataDir(path: string): Promise<string> {
  const dir = resolve(path)
  await makeDirectory(dirname(dir), 0o777)
  try {
    await mkdir(dir)
    await chmod(dir, process.geteuid?.() === 0 ? 0o711 : 0o700)
  } catch (err) {
    if (!isErrno(err) || err.code !== 'EEXIST') throw err
  }
  return realpath(dir)
}
