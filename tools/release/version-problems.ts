export interface ReleaseFiles {
  /** The text of each package.json by its path, that of the root among them. */
  manifests: ReadonlyMap<string, string>
  /** The text of package-lock.json. */
  lockfile: string
  changelog: string
}

/** The reasons why these files are not a release of one version, a line each. */
export function versionProblems({ manifests, lockfile, changelog }: ReleaseFiles): string[] {
  const versions = [...manifests].map(([path, text]) => [path, member(text, 'version')] as const)
  const version = member(manifests.get('package.json') ?? '{}', 'version')
  if (!/^\d+\.\d+\.\d+$/.test(version)) return [`package.json: "${version}" is not a release version`]
  const problems = versions
    .filter(([, other]) => other !== version)
    .map(([path, other]) => `${path}: version ${other}, but package.json has ${version}`)
  for (const path of manifests.keys()) {
    const locked = lockedVersion(lockfile, path.replace(/\/?package\.json$/, ''))
    if (locked !== version)
      problems.push(`package-lock.json: ${path} has version ${locked}: run npm install --package-lock-only`)
  }
  const heading = new RegExp(
    `^## \\[${version.replaceAll('.', '\\.')}\\](?: - \\d{4}-\\d{2}-\\d{2})?$`,
    'm',
  ).exec(changelog)
  const section = heading && changelog.slice(heading.index + heading[0].length).split(/^## /m)[0]
  if (section === null) problems.push(`CHANGELOG.md: lacks the heading "## [${version}]"`)
  else if (section?.trim() === '') problems.push(`CHANGELOG.md: nothing is written under "## [${version}]"`)
  return problems
}

function lockedVersion(lockfile: string, folder: string): string {
  const { packages } = JSON.parse(lockfile) as { packages?: Record<string, { version?: string }> }
  return packages?.[folder]?.version ?? 'none'
}

function member(json: string, name: string): string {
  const value: unknown = JSON.parse(json)
  const found = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === 'string' ? found : ''
}
