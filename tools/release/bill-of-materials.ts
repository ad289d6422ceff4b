export interface LockedPackage {
  name?: string
  version?: string
  license?: string
  integrity?: string
  resolved?: string
  link?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

export type LockedPackages = Record<string, LockedPackage>

/**
 * The packages that are installed in production with these workspaces, as CycloneDX 1.5. Made from the lockfile: `npm sbom` leaves out
 * packages that only a workspace needs (npm 11.19).
 */
export function billOfMaterials(packages: LockedPackages, workspaces: readonly string[]): object {
  const { name, version, license } = packages[''] ?? {}
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', name, version, licenses: licensesOf(license) } },
    components: [...installed(packages, workspaces)]
      .sort()
      .map(path => componentOf(path, packages[path] ?? {})),
  }
}

/** Paths of the packages that production dependencies reach. */
function installed(packages: LockedPackages, workspaces: readonly string[]): Set<string> {
  const found = new Set<string>()
  // The root depends on Node and PostgreSQL.
  const waiting = ['', ...workspaces]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue
    found.add(path)
    const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const place = placeOf(packages, path, name)
      if (place !== undefined) waiting.push(place)
      else if (dependencies?.[name] !== undefined)
        throw new Error(`${path} needs ${name}, which is not in the lockfile`)
    }
  }
  found.delete('')
  return found
}

/** Resolves a package as Node does: next to the package that needs it, then further up. */
function placeOf(packages: LockedPackages, from: string, name: string): string | undefined {
  for (let dir = from; ; dir = dir.slice(0, Math.max(dir.lastIndexOf('/'), 0))) {
    const place = dir === '' ? `node_modules/${name}` : `${dir}/node_modules/${name}`
    const entry = packages[place]
    if (entry) return entry.link ? entry.resolved : place
    if (dir === '') return undefined
  }
}

function componentOf(path: string, { name, version, license, integrity }: LockedPackage): object {
  const fullName = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const [, sha512] = /^sha512-(\S+)/.exec(integrity ?? '') ?? []
  return {
    type: 'library',
    name: fullName,
    version,
    purl: `pkg:npm/${fullName.replace('@', '%40')}@${version}`,
    licenses: licensesOf(license),
    hashes: sha512 ? [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }] : [],
  }
}

const licensesOf = (license: string | undefined) => (license === undefined ? [] : [{ expression: license }])
