import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildClient } from '../../client/build.ts'

export const run = promisify(execFile)
export const root = fileURLToPath(new URL('../../', import.meta.url))
export const readGuide = (name: string) => readFile(join(root, `docs/guides/${name}.md`), 'utf8')

/** The content of the fenced block, or the table, after the comment with this name. */
export function markedBlock(markdown: string, name: string): string {
  const parts = markdown.split(`<!-- ${name} -->\n\n`)
  const following = parts[1]
  if (following === undefined || parts.length > 2)
    throw new Error(`the document has ${parts.length - 1} blocks named ${name}`)
  const fenced = /^```\w*\n(.*?\n)```\n/s.exec(following)?.[1]
  return fenced ?? following.split('\n\n')[0] ?? ''
}

/** The cells of a table's rows, without its head. */
export const tableRows = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .slice(2)
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    )

const unitSeconds: Record<string, number> = { d: 86_400, h: 3_600, min: 60, s: 1 }

/** Reads `3 d 3 h 35 min 5 s`. */
export function durationSeconds(text: string): number {
  const parts = [...text.matchAll(/(\d+) ([a-z]+)/g)]
  if (parts.map(([part]) => part).join(' ') !== text) throw new Error(`not a duration: ${text}`)
  return parts.reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (unitSeconds[unit] ?? Number.NaN),
    0,
  )
}

/** Options of a test that needs a program: skips it, with the reason, if the program is not installed. */
export const needs = (program: string, argument = '--version') =>
  spawnSync(program, [argument]).status === 0 ? {} : { skip: `${program} is not installed` }

/**
 * Writes a marked block of a guide to a folder of its own, with what its reader has installed: a `*.mjs` can import the client, a
 * `*.py` has `chancery.py` beside it.
 */
export async function extractBlock(guide: string, name: string) {
  const cwd = await mkdtemp(join(tmpdir(), 'chancery-guides-'))
  const file = join(cwd, name)
  await writeFile(file, markedBlock(guide, name))
  if (name.endsWith('.py')) await cp(join(root, 'examples/python/chancery.py'), join(cwd, 'chancery.py'))
  if (name.endsWith('.mjs')) await installClient(cwd)
  return { cwd, file, remove: () => rm(cwd, { recursive: true, force: true }) }
}

/** Installs the package of the client, as it is downloaded. */
async function installClient(cwd: string): Promise<void> {
  const folder = join(cwd, 'node_modules/@chancery/client')
  await mkdir(join(folder, 'src'), { recursive: true })
  for (const { name, content } of buildClient()) await writeFile(join(folder, name), content)
}

export interface BlockOptions {
  /** Base URL of the requests, in place of the demo. */
  url: string
  env?: Record<string, string>
  args?: string[]
}

/** Runs a marked block as its reader does, and returns its output: `*.sh` by a shell, `*.mjs` by this Node, `*.py` by Python. */
export async function runBlock(guide: string, name: string, { url, env = {}, args = [] }: BlockOptions) {
  const block = await extractBlock(guide.replaceAll('http://127.0.0.1:8080', url), name)
  const programs: Record<string, string[]> = {
    sh: ['sh', '-eu'],
    mjs: [process.execPath],
    py: ['python3', '-B'],
  }
  const [command = '', ...options] = programs[name.split('.').at(-1) ?? ''] ?? []
  try {
    const { stdout } = await run(command, [...options, block.file, ...args], {
      cwd: block.cwd,
      env: { ...process.env, CHANCERY_URL: url, ...env },
      timeout: 30_000,
    })
    return stdout
  } finally {
    await block.remove()
  }
}
