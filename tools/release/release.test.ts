import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { imagesIn, pinImages } from './images.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const release = (command: string) =>
  spawnSync(process.execPath, [join(root, 'tools/release.ts'), command], { encoding: 'utf8' })

test('every image can be pinned by its digest, repeatedly, and the check lists unpinned images', () => {
  const found = ['Dockerfile', 'deploy/compose.yaml', 'deploy/worlds/compose.yaml'].map(file => {
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
    [1, 3, 4],
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

for (const file of ['deploy/compose.yaml', 'deploy/worlds/compose.yaml'])
  test(`every container of ${file} drops all capabilities but those that it needs, and gains none`, () => {
    const services = Object.entries(
      (parse(read(file), { merge: true }) as { services: Record<string, Record<string, unknown>> }).services,
    )
    assert.ok(services.length >= 5)
    for (const [name, { cap_drop, cap_add, security_opt, user }] of services) {
      assert.deepEqual(cap_drop, ['ALL'], name)
      assert.deepEqual(security_opt, ['no-new-privileges:true'], name)
      assert.deepEqual(cap_add, name === 'proxy' ? ['NET_BIND_SERVICE'] : undefined, name)
      // Without capabilities no entry point can change its user: it starts as the final user.
      if (name === 'postgres' || name === 'valkey') assert.equal(user, name)
    }
  })
