import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { EmbeddedError, isErrno, unlessMissing } from './errors.ts'
import type { Host } from './host.ts'
import { describeFailure, run } from './processes.ts'
import { makeRootDirectory, openRootState, type ServerUser } from './server-user.ts'

export interface Binaries {
  /** The package's folder, or a copy of it. */
  root: string
  postgres: string
  initdb: string
  pgCtl: string
  /** The package's version, such as `18.4.0-beta.17`. */
  version: string
  /** As PG_VERSION has it: `18`. */
  major: string
}

export async function openBinaries(root: string): Promise<Binaries> {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const tool = (name: string) => join(root, 'native', 'bin', name + suffix)
  const postgres = tool('postgres')
  const initdb = tool('initdb')
  if (!existsSync(postgres) || !existsSync(initdb))
    throw new EmbeddedError(
      `the bundled PostgreSQL in ${root} is incomplete: run npm install again, or set CHANCERY_DATABASE_URL to a PostgreSQL of your own`,
    )
  await completeLinks(root)
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  if (!(manifest instanceof Object && 'version' in manifest)) throw new Error(`${root} has no version`)
  const version = String(manifest.version)
  const major = String(Number.parseInt(version, 10))
  return { root, postgres, initdb, pgCtl: tool('pg_ctl'), version, major }
}

/**
 * npm packages contain no symbolic links: an install script makes those between the libraries.
 * If install scripts are switched off, it has not run.
 */
async function completeLinks(root: string): Promise<void> {
  const list = await unlessMissing(readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8'))
  const links: { source: string; target: string }[] = JSON.parse(list ?? '[]')
  for (const { source, target } of links) {
    const path = join(root, target)
    if (existsSync(path)) continue
    try {
      await symlink(relative(dirname(target), source), path)
    } catch (err) {
      if (isErrno(err) && err.code === 'EEXIST') continue
      throw new EmbeddedError(
        `the bundled PostgreSQL in ${root} lacks ${basename(path)}: run npm rebuild with install scripts allowed`,
      )
    }
  }
}

export function cannotRunError(reason: string): EmbeddedError {
  return new EmbeddedError(
    `the bundled PostgreSQL does not run on this system (${reason}): set CHANCERY_DATABASE_URL to a PostgreSQL of your own`,
  )
}

/** The reason why the binaries do not run as that user; undefined if they do. */
export async function whyNotRunnable(binaries: Binaries, user?: ServerUser): Promise<string | undefined> {
  const outcome = await run(binaries.postgres, ['--version'], { user })
  return outcome.status === 0 ? undefined : describeFailure(outcome)
}

/** The binaries, or a copy of them that the user can run. */
export async function reachableBinaries(
  host: Host,
  binaries: Binaries,
  user?: ServerUser,
): Promise<Binaries> {
  if (!user) return binaries
  const reason = await whyNotRunnable(binaries, user)
  if (reason === undefined) return binaries
  const ownReason = await whyNotRunnable(binaries)
  if (ownReason !== undefined) throw cannotRunError(ownReason)
  const state = await openRootState(host, user)
  const copy = join(state, `postgresql-${binaries.version}-${process.arch}`)
  await copyBinaries(binaries.root, copy)
  const copied = await openBinaries(copy)
  const reasonOfCopy = await whyNotRunnable(copied, user)
  if (reasonOfCopy !== undefined)
    throw new EmbeddedError(`user ${user.name} cannot run ${copied.postgres}: ${reasonOfCopy}`)
  return copied
}

async function copyBinaries(from: string, to: string): Promise<void> {
  const exists = await lstat(to).then(
    () => true,
    () => false,
  )
  if (exists) return makeRootDirectory(to)
  const partial = `${to}.${randomBytes(4).toString('hex')}`
  try {
    await makeRootDirectory(partial)
    await cp(join(from, 'package.json'), join(partial, 'package.json'))
    await cp(join(from, 'native'), join(partial, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: source => !source.endsWith('.a'),
    })
    await makeReadable(partial)
    await rename(partial, to)
  } catch (err) {
    await rm(partial, { recursive: true, force: true })
    // Another process was faster.
    if (!isErrno(err) || (err.code !== 'ENOTEMPTY' && err.code !== 'EEXIST')) throw err
  }
}

/** Makes the copy readable by everyone, whatever the umask of the installation was. */
async function makeReadable(dir: string): Promise<void> {
  await chmod(dir, 0o755)
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) await makeReadable(path)
    else if (entry.isFile()) await chmod(path, basename(dir) === 'bin' ? 0o755 : 0o644)
  }
}
