/**
 * The steps of a release, described in docs/releasing.md.
 *
 *   node tools/release.ts pin             writes the current image digests into Dockerfile and the compose files (needs docker buildx and a network)
 *   node tools/release.ts check           fails where versions differ, the changelog lacks the version, or an image has no digest
 *   node tools/release.ts sbom            writes the bill of materials of all shipped packages to standard output (CycloneDX)
 *   node tools/release.ts packages [DIR]  builds the packages that are published into DIR (release/); RELEASE_REPOSITORY and
 *                                         RELEASE_AUTHOR name the publisher
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeEnd, describeFailure } from '../server/src/store/embedded/processes.ts'
import { billOfMaterials, type LockedPackages } from './release/bill-of-materials.ts'
import { buildPackages } from './release/build-package.ts'
import { imagesIn, pinImages } from './release/images.ts'
import { versionProblems } from './release/version-problems.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
/** Workspaces in an installation, the image or a published package. */
const shipped = ['cli', 'client', 'connect', 'contract', 'portal', 'server', 'simulator']
const files = ['Dockerfile', 'deploy/compose.yaml', 'deploy/worlds/compose.yaml']

const commands: Record<string, (argument?: string) => string> = {
  pin() {
    for (const file of files) writeFileSync(root + file, pinImages(read(file), lookUp))
    return ''
  },
  check() {
    const paths = globSync('{,*/,examples/*/}package.json', { cwd: root })
    const problems = versionProblems({
      manifests: new Map(paths.map(path => [path, read(path)])),
      lockfile: read('package-lock.json'),
      changelog: read('CHANGELOG.md'),
    })
    const unpinned = files.flatMap(file =>
      imagesIn(read(file))
        .filter(image => !image.includes('@'))
        .map(image => `${file}: ${image} has no digest: run node tools/release.ts pin`),
    )
    if (problems.length + unpinned.length > 0) throw new Error([...problems, ...unpinned].join('\n'))
    return ''
  },
  sbom() {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: LockedPackages }
    return `${JSON.stringify(billOfMaterials(packages, shipped), null, 2)}\n`
  },
  packages(directory = 'release') {
    const { RELEASE_REPOSITORY: repository, RELEASE_AUTHOR: author } = process.env
    if (!repository || !author)
      throw new Error(
        'set RELEASE_REPOSITORY to the URL of the repository and RELEASE_AUTHOR to the publisher: the packages name both',
      )
    const built = buildPackages(resolve(directory), { repository, author })
    return `${built.map(folder => `npm publish --provenance --access public ${folder}`).join('\n')}\n`
  },
}

/** The digest of a tag, of all platforms together. */
function lookUp(image: string): string {
  return output('docker', [
    'buildx',
    'imagetools',
    'inspect',
    image,
    '--format',
    '{{.Manifest.Digest}}',
  ]).trim()
}

function output(program: string, args: string[]): string {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
  if (error) throw new Error(`${program} does not start: ${error.message}`)
  if (status !== 0) {
    const failure = describeFailure({ ended: describeEnd(status, signal), output: stderr })
    throw new Error(`${program} ${args.join(' ')} failed: ${failure}`)
  }
  return stdout
}

try {
  const command =
    commands[process.argv[2] ?? ''] ?? (() => fail('usage: node tools/release.ts pin|check|sbom|packages'))
  process.stdout.write(command(process.argv[3]))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function fail(reason: string): never {
  throw new Error(reason)
}
