/**
 * What a release needs beyond its code.
 *
 *   node tools/release.ts pin     writes the digests of today into Dockerfile and compose.yaml (needs docker buildx and a network)
 *   node tools/release.ts check   fails where an image has no digest
 *   node tools/release.ts sbom    writes the bill of materials of what is installed and shipped to standard output (CycloneDX)
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { billOfMaterials, type LockedPackages } from './deploy/bill-of-materials.ts'
import { imagesIn, pinImages } from './deploy/images.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
/** Workspaces that an installation, the image or the client's package holds. */
const shipped = ['cli', 'client', 'connect', 'contract', 'portal', 'server', 'simulator']
const files = ['Dockerfile', 'deploy/compose.yaml']

const commands: Record<string, () => string> = {
  pin() {
    for (const file of files) writeFileSync(root + file, pinImages(readFileSync(root + file, 'utf8'), lookUp))
    return ''
  },
  check() {
    const unpinned = files.flatMap(file =>
      imagesIn(readFileSync(root + file, 'utf8'))
        .filter(image => !image.includes('@'))
        .map(image => `${file}: ${image} has no digest: run node tools/release.ts pin`),
    )
    if (unpinned.length > 0) throw new Error(unpinned.join('\n'))
    return ''
  },
  sbom() {
    const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
      packages: LockedPackages
    }
    return `${JSON.stringify(billOfMaterials(packages, shipped), null, 2)}\n`
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
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
  if (error) throw new Error(`${program} does not start: ${error.message}`)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed (${status}): ${stderr.trim()}`)
  return stdout
}

try {
  const command = commands[process.argv[2] ?? ''] ?? (() => fail('which? pin, check or sbom'))
  process.stdout.write(command())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function fail(reason: string): never {
  throw new Error(reason)
}
