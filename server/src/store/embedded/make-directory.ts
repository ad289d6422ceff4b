import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a directory with its parents. Node's own `recursive` never ends on a file system such as /proc, which lets nobody make
 * directories and says that they are missing.
 */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  const parents: string[] = []
  for (let dir = path; !existsSync(dir) && dirname(dir) !== dir; dir = dirname(dir)) parents.unshift(dir)
  for (const dir of parents)
    await mkdir(dir, { mode }).catch(error => {
      // Processes may start at once on one directory.
      if (error.code !== 'EEXIST') throw error
    })
  if (!(await stat(path)).isDirectory()) throw Object.assign(new Error(path), { code: 'ENOTDIR' })
}
