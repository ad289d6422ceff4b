import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What is compared with, in the versions that were looked at. */
const peerVersions = { '@platformatic/db': '3.67.0', postgraphile: '5.1.5', pg: '8.23.1' }

/**
 * Installs the peers into a temporary folder. They are no dependency: nothing of ours needs them. The folder stays, so that the next run
 * does not have to load 600 packages again.
 */
export async function installPeers(): Promise<string> {
  const versions = Object.values(peerVersions).join('-')
  const folder = join(tmpdir(), `chancery-bench-peers-${process.getuid?.() ?? 0}-${versions}`)
  const done = join(folder, 'installed')
  const isThere = await access(done).then(
    () => true,
    () => false,
  )
  if (isThere) return folder
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const manifest = { private: true, type: 'module', dependencies: peerVersions }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const wish = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error']
  // npm's own messages belong to those who follow the run, not to its results.
  const npm = spawn('npm', wish, { cwd: folder, stdio: ['ignore', 2, 2] })
  const [code] = await once(npm, 'exit')
  if (code !== 0) throw new Error(`the peers were not installed into ${folder}: npm ended with ${code}`)
  await writeFile(done, '')
  return folder
}

/** A module of a package that was installed into a folder. */
export async function importFrom<T>(folder: string, specifier: string): Promise<T> {
  const path = createRequire(join(folder, 'package.json')).resolve(specifier)
  return (await import(pathToFileURL(path).href)) as T
}

export async function versionIn(folder: string, name: keyof typeof peerVersions): Promise<string> {
  const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
