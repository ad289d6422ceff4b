import { createHash } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A lock among the processes of a machine, for databases that have none: a local socket of this name, which ends with the process.
 * Undefined if another process has it. The caller releases it.
 */
export async function lockName(name: string): Promise<(() => void) | undefined> {
  const path = socketPath(`chancery-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`)
  const first = await listen(path)
  if (first || process.platform !== 'darwin' || (await responds(path))) return first
  // The file of a process that was killed.
  await unlink(path).catch(() => undefined)
  return listen(path)
}

/** In Linux a name without a file, in Windows a pipe: both end with the process. */
function socketPath(name: string): string {
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name)
}

function listen(path: string): Promise<(() => void) | undefined> {
  const server = createServer(socket => socket.destroy()).unref()
  return new Promise((resolve, reject) => {
    server.once('error', (err: NodeJS.ErrnoException) =>
      err.code === 'EADDRINUSE' ? resolve(undefined) : reject(err),
    )
    server.listen(path, () => resolve(() => server.close()))
  })
}

function responds(path: string): Promise<boolean> {
  const socket = connect(path)
  return new Promise(resolve => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  }).finally(() => socket.destroy()) as Promise<boolean>
}
