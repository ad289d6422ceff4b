import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Binaries, cannotRunError, whyNotRunnable } from './binaries.ts'
import { describeFailure } from './child-failure.ts'
import type { Cluster } from './cluster.ts'
import { diskFullError, EmbeddedError } from './embedded-error.ts'
import { listProcesses, sendSignal } from './processes.ts'
import { run } from './run.ts'
import { chownTo, type ServerUser } from './server-user.ts'

export interface CreateOptions {
  cluster: Cluster
  binaries: Binaries
  user: ServerUser | undefined
  /** The role's password where the server is reached over loopback, else undefined. */
  password: string | undefined
  fsync: boolean
}

const unfinishedPrefix = (cluster: Cluster) => `${cluster.dir}.new-`

/** The role that owns everything in the bundled server. */
export const superuser = 'chancery'

/** Makes the cluster beside its place and moves it there whole: a kill at any moment leaves nothing half-made. */
export async function createCluster(options: CreateOptions): Promise<void> {
  const { cluster, user, fsync } = options
  const dir = unfinishedPrefix(cluster) + randomBytes(4).toString('hex')
  const passwordFile = `${dir}-password`
  try {
    await mkdir(dir)
    await chownTo(user, dir, 0o700)
    if (options.password !== undefined) {
      await writeFile(passwordFile, options.password, { mode: 0o600, flag: 'wx' })
      await chownTo(user, passwordFile, 0o600)
    }
    await initialize(options, dir, passwordFile)
    await rename(dir, cluster.dir)
    if (fsync && process.platform !== 'win32') await syncDirectory(dirname(cluster.dir))
  } finally {
    await rm(dir, { recursive: true, force: true })
    await rm(passwordFile, { force: true })
  }
}

async function initialize(options: CreateOptions, dir: string, passwordFile: string): Promise<void> {
  const { binaries, cluster, password } = options
  // C: comparisons byte by byte. The built-in provider knows upper and lower case without the system's locales.
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  // Who gets through the private directory to the socket is the same user, or root.
  const access =
    password === undefined
      ? ['--auth-local=trust', '--auth-host=reject']
      : ['--auth-local=reject', '--auth-host=scram-sha-256', `--pwfile=${passwordFile}`]
  const args = ['-D', dir, '-U', superuser, '-E', 'UTF8', ...locale, ...access, '--no-instructions']
  if (!options.fsync) args.push('--no-sync')
  const outcome = await run(binaries.initdb, args, { user: options.user })
  if (outcome.status === 0) return
  if (outcome.output.includes('No space left on device')) throw diskFullError(dirname(cluster.dir))
  const reason = await whyNotRunnable(binaries, options.user)
  if (reason !== undefined) throw cannotRunError(reason)
  throw new EmbeddedError(
    `the database in ${cluster.dir} could not be made: initdb failed with ${describeFailure(outcome)}`,
  )
}

/** Removes what a killed first start left. Only the holder of the data directory's lock may. */
export async function removeUnfinishedClusters(cluster: Cluster): Promise<void> {
  const parent = dirname(cluster.dir)
  const prefix = basename(unfinishedPrefix(cluster))
  const names = (await readdir(parent)).filter(name => name.startsWith(prefix))
  if (names.length === 0) return
  for (const { pid, command } of (await listProcesses()) ?? [])
    if (command.includes(`initdb -D ${unfinishedPrefix(cluster)}`)) sendSignal(pid, 'SIGKILL')
  // A back end of the ended initdb may still write for a moment.
  for (const name of names) {
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 20 })
  }
}

async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
