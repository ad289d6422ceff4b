/**
 * Adds to the lockfiles the packages for other platforms that npm left out because the registry did not have them, and
 * integrity hashes that are missing: npm ci rejects a lockfile without the former, and verifies nothing without the latter.
 * Removes addresses of registries.
 * Run it after npm install. With --check: exits 1, naming what is missing.
 */
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'

interface LockedPackage {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
  dev?: boolean
  optionalDependencies?: Record<string, string>
  [member: string]: unknown
}

interface Lockfile {
  packages: Record<string, LockedPackage>
}

const isCheck = process.argv.includes('--check')
for (const path of ['package-lock.json', 'tools/generators/package-lock.json']) {
  const file = new URL(`../${path}`, import.meta.url)
  const lock: Lockfile = JSON.parse(await readFile(file, 'utf8'))
  if (isCheck) check(path, lock)
  else await writeFile(file, `${JSON.stringify(complete(path, lock), null, 2)}\n`)
}

function check(file: string, { packages }: Lockfile): void {
  const problems = [
    ...missingIn(packages).map(([path]) => `lacks ${path}`),
    ...withoutIntegrity(packages).map(([path]) => `has no integrity hash for ${path}`),
    ...Object.entries(packages)
      .filter(([, { resolved = '' }]) => /^https?:/.test(resolved))
      .map(([path]) => `names the registry of ${path}`),
  ]
  for (const problem of problems) console.error(`${file} ${problem}: run npm run lockfile`)
  if (problems.length > 0) process.exitCode = 1
}

function complete(file: string, lock: Lockfile): Lockfile {
  const missing = missingIn(lock.packages)
  const entries = Object.entries({ ...lock.packages, ...Object.fromEntries(missing) })
  const packages = Object.fromEntries(entries.sort(([one], [other]) => one.localeCompare(other, 'en')))
  for (const locked of Object.values(packages))
    if (/^https?:/.test(locked.resolved ?? '')) delete locked.resolved
  for (const [path, locked] of withoutIntegrity(packages)) {
    const integrity = integrityOf(path, locked)
    if (integrity !== '') packages[path] = { version: locked.version, integrity, ...locked }
  }
  console.log(`${missing.length} packages added to ${file}`)
  for (const [path, { version }] of withoutIntegrity(packages)) {
    console.error(
      `The registry has no ${path} ${version}: pin a version that it has for every platform, and install again.`,
    )
    process.exitCode = 1
  }
  return { ...lock, packages }
}

/** Packages for other platforms that npm left out. */
function missingIn(packages: Lockfile['packages']) {
  return Object.values(packages).flatMap(parent =>
    Object.entries(parent.optionalDependencies ?? {})
      .filter(([name]) => !(`node_modules/${name}` in packages))
      .map(([name, version]) => [`node_modules/${name}`, stub(name, version, parent.dev)] as const),
  )
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
