/**
 * Adds to package-lock.json the packages for other platforms that npm left out because the registry did not have them, and
 * integrity hashes that are missing: npm ci rejects a lockfile without the former, and verifies nothing without the latter.
 * Run it after npm install. With --check: exits 1, naming what is missing.
 */
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'

interface LockedPackage {
  version?: string
  integrity?: string
  link?: boolean
  dev?: boolean
  optionalDependencies?: Record<string, string>
  [member: string]: unknown
}

const file = new URL('../package-lock.json', import.meta.url)
const lock: { packages: Record<string, LockedPackage> } = JSON.parse(await readFile(file, 'utf8'))

const missing = Object.values(lock.packages).flatMap(parent =>
  Object.entries(parent.optionalDependencies ?? {})
    .filter(([name]) => !(`node_modules/${name}` in lock.packages))
    .map(([name, version]) => [`node_modules/${name}`, stub(name, version, parent.dev)] as const),
)

if (process.argv.includes('--check')) {
  for (const [path] of missing) console.error(`package-lock.json lacks ${path}: run npm run lockfile`)
  for (const [path] of withoutIntegrity(lock.packages))
    console.error(`package-lock.json has no integrity hash for ${path}: run npm run lockfile`)
  if (missing.length > 0 || withoutIntegrity(lock.packages).length > 0) process.exitCode = 1
} else {
  const entries = Object.entries({ ...lock.packages, ...Object.fromEntries(missing) })
  lock.packages = Object.fromEntries(entries.sort(([one], [other]) => one.localeCompare(other, 'en')))
  for (const [path, locked] of withoutIntegrity(lock.packages)) {
    const integrity = integrityOf(path, locked)
    if (integrity !== '') lock.packages[path] = { version: locked.version, integrity, ...locked }
  }
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`${missing.length} packages added`)
  for (const [path, { version }] of withoutIntegrity(lock.packages)) {
    console.error(
      `The registry has no ${path} ${version}: pin a version that it has for every platform, and install again.`,
    )
    process.exitCode = 1
  }
}

/** Packages of a registry that npm would install without verifying them. */
function withoutIntegrity(packages: Record<string, LockedPackage>): [path: string, locked: LockedPackage][] {
  return Object.entries(packages).filter(
    ([path, { integrity, link }]) => path.includes('node_modules/') && !link && integrity === undefined,
  )
}

/** Empty where the registry does not have the package. */
function integrityOf(path: string, { version }: LockedPackage): string {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  try {
    const json = execFileSync('npm', ['view', '--json', `${name}@${version}`, 'dist.integrity'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const integrity: unknown = json.trim() === '' ? '' : JSON.parse(json)
    return typeof integrity === 'string' ? integrity : ''
  } catch {
    return ''
  }
}

/** The entry that npm needs to skip the package on other platforms and to install it on its own. */
function stub(name: string, version: string, dev = false): LockedPackage {
  const isExact = /^\d+\.\d+\.\d+/.test(version)
  const [, os] = /-(android|darwin|freebsd|linux|openharmony|win32)(?:-|$)/.exec(name) ?? []
  const [, cpu] = /-(arm64|x64|arm|ia32|ppc64|riscv64|s390x)(?:-|$)/.exec(name) ?? []
  if (!isExact || !os || !cpu)
    throw new Error(`${name}@${version} is not a platform package: add it to package-lock.json by hand`)
  const libc = /-musl/.test(name) ? 'musl' : os === 'linux' ? 'glibc' : undefined
  return { version, cpu: [cpu], ...(dev && { dev }), ...(libc && { libc: [libc] }), optional: true, os: [os] }
}
