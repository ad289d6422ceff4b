import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
const bytesMin = 2 * 1024 ** 3

/** Where test data may lie. A clone is 1,300 new files: in memory 30 ms, on some disks 400. */
export async function fastDirectory(): Promise<string> {
  const found = await statfs(memory).catch(() => undefined)
  return found && found.bavail * found.bsize >= bytesMin ? memory : tmpdir()
}
