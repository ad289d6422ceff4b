import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildPackages } from './build-package.ts'
import { versionProblems } from './version-problems.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'chancery-release-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

test('a package is not built without a publisher', () => {
  const { RELEASE_REPOSITORY: _, RELEASE_AUTHOR: __, ...env } = process.env
  const words = [join(root, 'tools/release.ts'), 'packages', scratch]
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env })
  assert.equal(status, 1)
  assert.match(stderr, /set RELEASE_REPOSITORY/)
})

test('packages name their publisher and run with only their dependencies installed', () => {
  const publisher = { repository: 'https://example.invalid/chancery.git', author: 'The publisher' }
  const folders = buildPackages(join(scratch, 'packages'), publisher)
  for (const folder of folders) {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    assert.equal(manifest.author, publisher.author)
    assert.equal(manifest.repository.url, publisher.repository)
    assert.equal(manifest.private, undefined)
    for (const member of ['version', 'description', 'license', 'keywords', 'engines', 'exports'])
      assert.ok(manifest[member], `${manifest.name} ${member}`)
  }
  const [, contract = ''] = folders
  symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'))
  writeFileSync(
    join(scratch, 'main.mjs'),
    `import { contractFor, demoProfile, factsSchema, version } from '${contract}/lib/src/index.js'
console.log(version, Object.keys(factsSchema(contractFor(demoProfile))).length > 0)`,
  )
  const { stdout, stderr } = spawnSync(process.execPath, [join(scratch, 'main.mjs')], { encoding: 'utf8' })
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(stdout, `${version} true\n`, stderr)
})

test('all packages of the repository have one version', () => {
  const lockfile = readFileSync(join(root, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, { version?: string }> }
  const paths = Object.keys(packages).filter(path => !path.includes('node_modules'))
  assert.ok(paths.length > 10)
  const manifests = new Map(
    paths
      .map(path => join(path, 'package.json'))
      .map(path => [path, readFileSync(join(root, path), 'utf8')] as const),
  )
  const { version } = JSON.parse(manifests.get('package.json') ?? '')
  assert.deepEqual(versionProblems({ manifests, lockfile, changelog: `## [${version}]\n\nAll.\n` }), [])
  const guide = readFileSync(join(root, 'docs/guides/follow-the-war-feed.md'), 'utf8')
  assert.ok(guide.includes(`user-agent: Chancery/${version}`), 'the guide shows another version')
})

test('a release with different versions, or without its section of the changelog, is rejected', () => {
  const manifest = (version: string) => JSON.stringify({ version })
  const problems = (changelog: string, other = '1.2.3') =>
    versionProblems({
      manifests: new Map([
        ['package.json', manifest('1.2.3')],
        ['cli/package.json', manifest(other)],
      ]),
      lockfile: JSON.stringify({ packages: { '': { version: '1.2.3' }, cli: { version: '1.2.3' } } }),
      changelog,
    })
  assert.deepEqual(problems('# Changelog\n\n## [1.2.3]\n\n- More.\n\n## [1.2.2]\n'), [])
  assert.deepEqual(problems('## [Unreleased]\n\n- More.\n'), ['CHANGELOG.md: lacks the heading "## [1.2.3]"'])
  assert.deepEqual(problems('## [1.2.3]\n\n## [1.2.2]\n\n- Old.\n'), [
    'CHANGELOG.md: nothing is written under "## [1.2.3]"',
  ])
  assert.deepEqual(problems('## [1.2.3]\n\n- More.\n', '1.2.2'), [
    'cli/package.json: version 1.2.2, but package.json has 1.2.3',
  ])
})
