import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { describeFailure } from './child-failure.ts'
import type { Cluster } from './cluster.ts'
import { EmbeddedError } from './embedded-error.ts'
import { unlessMissing } from './errno.ts'
import { findProcess, hasProcess, isAlive, listProcesses, sendSignal } from './processes.ts'
import { run } from './run.ts'

/** The server's first process, as its postmaster.pid tells. */
export interface Postmaster {
  pid: number
  /** Undefined in the first moments of its life. */
  address: { port: number; socketDir: string } | undefined
}

const pidFile = (cluster: Cluster) => join(cluster.dir, 'postmaster.pid')

const fastShutdownMs = 60_000
const immediateShutdownMs = 15_000
const leftoversMs = 10_000

/** The live server of this cluster. A process id alone proves nothing: it may have come round to another process. */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const text = await unlessMissing(readFile(pidFile(cluster), 'utf8'))
  const [first, , , port, socketDir] = text?.split('\n') ?? []
  // A single-user server writes its number with a minus.
  const pid = Math.abs(Number(first))
  if (!Number.isSafeInteger(pid) || pid === 0 || !isAlive(pid)) return undefined
  const postmaster = {
    pid,
    address: port && socketDir !== undefined ? { port: Number(port), socketDir } : undefined,
  }
  // Windows tells no command lines: there the connection decides, by data_directory.
  if (process.platform === 'win32') return postmaster
  const found = await findProcess(pid)
  if (!found) return undefined
  if (`${found.command} `.includes(`postgres -D ${cluster.dir} `)) return postmaster
  if (found.command.includes('postgres') && (await worksIn(pid, cluster)))
    throw new EmbeddedError(
      `${cluster.dir} is in use by a PostgreSQL that was started otherwise or before the directory was moved: end process ${pid} (kill -INT ${pid}) and start again`,
    )
  return undefined
}

/** The server itself notes its state in its pid file. */
export async function isReady(cluster: Cluster): Promise<boolean> {
  const text = await unlessMissing(readFile(pidFile(cluster), 'utf8'))
  return text?.split('\n')[7]?.startsWith('ready') ?? false
}

async function worksIn(pid: number, cluster: Cluster): Promise<boolean> {
  try {
    const [here, there] = await Promise.all([stat(cluster.dir), stat(`/proc/${pid}/cwd`)])
    return here.ino === there.ino && here.dev === there.dev
  } catch {
    // Not Linux, or a container whose root may not look.
    return false
  }
}

/**
 * After a server that was killed: its back ends may live on, and hold the shared memory, while they are busy.
 * They are known by the cluster's name in their titles and by their user. Where there are no titles,
 * the next server refuses to start until the shared memory is free.
 */
export async function clearLeftovers(cluster: Cluster, uid: number | undefined): Promise<void> {
  const text = await unlessMissing(readFile(pidFile(cluster), 'utf8'))
  if (text === undefined) return
  const deadline = Date.now() + leftoversMs
  for (;;) {
    const left = ((await listProcesses()) ?? []).filter(
      found => found.uid === uid && found.command.startsWith(`postgres: ${cluster.name}: `),
    )
    if (left.length === 0) break
    if (Date.now() > deadline)
      throw new EmbeddedError(
        `process ${left[0]?.pid} of a killed PostgreSQL does not end: restart the machine`,
      )
    for (const { pid } of left) sendSignal(pid, 'SIGKILL')
    await sleep(20)
  }
  // Where there is no such process PostgreSQL removes the file itself. It believes in zombies and strangers.
  if (hasProcess(Math.abs(Number.parseInt(text, 10)))) await rm(pidFile(cluster), { force: true })
}

/** Ends the server with a last checkpoint and resolves when it is gone. */
export async function stopPostmaster(cluster: Cluster, binaries: Binaries): Promise<void> {
  const postmaster = await findPostmaster(cluster)
  if (!postmaster) return
  const { pid } = postmaster
  if (process.platform === 'win32') {
    // Windows has no signals to send; pg_ctl speaks through a named pipe.
    const outcome = await run(binaries.pgCtl, ['stop', '-D', cluster.dir, '-m', 'fast', '-w'], {})
    if (await isGone(pid, immediateShutdownMs)) return
    throw new EmbeddedError(
      `PostgreSQL (process ${pid}) does not stop: end it by hand (pg_ctl: ${describeFailure(outcome)})`,
    )
  } else {
    sendSignal(pid, 'SIGINT')
    if (await isGone(pid, fastShutdownMs)) return
    sendSignal(pid, 'SIGQUIT')
    if (await isGone(pid, immediateShutdownMs)) return
  }
  throw new EmbeddedError(`PostgreSQL (process ${pid}) does not stop: end it by hand`)
}

async function isGone(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false
    await sleep(10)
  }
  return true
}
