import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { imagesIn, pinImages } from './images.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const release = (command: string) =>
  spawnSync(process.execPath, [join(root, 'tools/release.ts'), command], { encoding: 'utf8' })

test('every image can be pinned by its digest, repeatedly, and the check lists unpinned images', () => {
  const found = ['Dockerfile', 'deploy/compose.yaml'].map(file => {
    const text = read(file)
    const images = imagesIn(text)
    const digest = (letter: string) => `sha256:${letter.repeat(64)}`
    const pinned = pinImages(text, () => digest('a'))
    assert.deepEqual(
      imagesIn(pinned),
      images.map(image => `${image.split('@')[0]}@${digest('a')}`),
    )
    assert.equal(
      pinImages(pinned, () => digest('b')),
      pinned.replaceAll(digest('a'), digest('b')),
    )
    assert.throws(() => pinImages(text, () => ''), /has no digest/)
    return images
  })
  assert.deepEqual(
    found.map(images => images.length),
    [1, 3],
  )
  assert.throws(() => imagesIn('FROM node:24 AS page\n'), /not all images can be parsed/)
  const { status, stderr } = release('check')
  const unpinned = found.flat().filter(image => !image.includes('@'))
  assert.equal(status, unpinned.length > 0 ? 1 : 0)
  for (const image of unpinned) assert.match(stderr, new RegExp(`: ${image} has no digest`))
})

test('the bill of materials lists every production package with its hash, and no development package', () => {
  const { status, stdout, stderr } = release('sbom')
  assert.equal(status, 0, stderr)
  const { bomFormat, components } = JSON.parse(stdout) as {
    bomFormat: string
    components: { name: string; version?: string; purl: string; hashes: unknown[] }[]
  }
  assert.equal(bomFormat, 'CycloneDX')
  const named = new Set(components.map(({ name }) => name))
  const dependenciesOf = (file: string) => {
    const { dependencies, optionalDependencies } = JSON.parse(read(file)) as Record<
      string,
      object | undefined
    >
    return Object.keys({ ...dependencies, ...optionalDependencies })
  }
  for (const folder of ['', 'cli/', 'server/', 'client/', 'connect/', 'contract/', 'simulator/', 'portal/'])
    for (const name of dependenciesOf(`${folder}package.json`)) assert.ok(named.has(name), name)
  for (const { name, version, purl, hashes } of components) {
    assert.match(purl, /^pkg:npm\/(%40[\w-]+\/)?[\w.-]+@\d[\w.-]*$/)
    assert.ok(version !== undefined && (hashes.length === 1 || name.startsWith('@chancery/')), name)
  }
  for (const name of ['typescript', '@biomejs/biome', 'fast-check', 'knip']) assert.ok(!named.has(name), name)
})

/** The text of each service of the compose file; merged parts are in the text of the other service. */
function services(): Map<string, string> {
  const [, text = ''] = /^services:\n([\s\S]*?)^\w/m.exec(read('deploy/compose.yaml')) ?? []
  const parts = text.split(/^ {2}(\w+):(?: &\w+)?\n/m).slice(1)
  return new Map(parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1] ?? '']] : [])))
}

test('every container drops all capabilities but those that it needs, and gains none', () => {
  const added: Record<string, string> = { proxy: 'NET_BIND_SERVICE' }
  assert.ok(services().size >= 5)
  for (const [name, text] of services()) {
    if (text.includes('<<: *chancery')) continue
    assert.match(text, /^ {4}cap_drop: \[ALL\]$/m, name)
    assert.match(text, /^ {4}security_opt: \["no-new-privileges:true"\]$/m, name)
    assert.equal(/^ {4}cap_add: \[(.*)\]$/m.exec(text)?.[1], added[name], name)
    // Without capabilities no entry point can change its user: it starts as the final user.
    if (['postgres', 'valkey'].includes(name)) assert.match(text, new RegExp(`^ {4}user: ${name}$`, 'm'))
  }
})
