import { existsSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { describeFailure } from './child-failure.ts'
import { EmbeddedError } from './embedded-error.ts'
import { isErrno, unlessMissing } from './errno.ts'
import { run } from './run.ts'
import type { ServerUser } from './server-user.ts'

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
 * npm packages hold no symbolic links: an install script makes those between the libraries.
 * Where install scripts are switched off, it has not run.
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

/** Undefined if the binaries run as that user, else why not. */
export async function whyNotRunnable(binaries: Binaries, user?: ServerUser): Promise<string | undefined> {
  const outcome = await run(binaries.postgres, ['--version'], { user })
  return outcome.status === 0 ? undefined : describeFailure(outcome)
}
