import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { markedBlock } from './marked-block.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const pythonClient = join(root, 'examples/python/chancery.py')

/** For tests that need a program: skips, and says why, where it is not there. */
export const needs = (program: string) =>
  spawnSync(program, ['--version']).status === 0 ? {} : { skip: `${program} is not installed` }

export interface RunBlock {
  /** Where the block's calls go, in place of the demo. */
  url: string
  env?: Record<string, string>
  args?: string[]
}

/**
 * Runs a marked block of a guide as its reader does, in an empty folder, and returns what it printed: `*.sh` by a
 * shell, `*.ts` by this Node with the packages of this repository, `*.py` by the system's Python with `chancery.py` beside it.
 */
export async function runBlock(
  guide: string,
  name: string,
  { url, env = {}, args = [] }: RunBlock,
): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'chancery-guides-'))
  try {
    const block = markedBlock(guide, name)
    const file = join(cwd, name)
    await writeFile(file, name.endsWith('.sh') ? block.replaceAll('http://127.0.0.1:8080', url) : block)
    if (name.endsWith('.py')) await cp(pythonClient, join(cwd, 'chancery.py'))
    // What a reader has installed; and a program of one file needs to be told that it is a module.
    if (name.endsWith('.ts')) {
      await symlink(join(root, 'node_modules'), join(cwd, 'node_modules'))
      await writeFile(join(cwd, 'package.json'), '{"type":"module"}')
    }
    const program: Record<string, string[]> = {
      sh: ['sh', '-eu', file],
      ts: [process.execPath, file, ...args],
      py: ['python3', '-B', file, ...args],
    }
    const [command = '', ...rest] = program[name.split('.').at(-1) ?? ''] ?? []
    const { stdout } = await run(command, rest, {
      cwd,
      env: { ...process.env, CHANCERY_URL: url, ...env },
      timeout: 30_000,
    })
    return stdout
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}
