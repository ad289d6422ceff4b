import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

const heap = JSON.stringify(new URL('../src/heap.ts', import.meta.url).href)

/** What a process says that runs these lines, with these flags. */
function said(flags: string[], lines: string): Record<string, number> {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, '--max-semi-space-size=1', '--input-type=module', '--eval', lines],
    { encoding: 'utf8' },
  )
  assert.equal(stderr, '', 'V8 knows the flags')
  assert.equal(status, 0)
  return JSON.parse(stdout)
}

const begins = { usual: '', small: `const { keepHeapSmall } = await import(${heap}); keepHeapSmall()` }

test('a heap that is kept small is collected soon after it has grown', () => {
  // 30 MB are in use, and are replaced again and again, each part when it has become old.
  const mostOf = (begin: string) =>
    said(
      [],
      `import { getHeapStatistics } from 'node:v8'
      ${begin}
      const parts = 3_000
      const held = []
      let most = 0
      for (let count = 0; count < 8 * parts; count += 1) {
        held[count % parts] = Array.from({ length: 1_200 }, () => count + 0.5)
        if (count % 50 === 0) most = Math.max(most, getHeapStatistics().used_heap_size)
      }
      console.log(JSON.stringify({ most }))`,
    ).most ?? 0
  const [usual, small] = [mostOf(begins.usual), mostOf(begins.small)]
  assert.ok(small < usual * 0.8, `${small} bytes at most, and ${usual} as V8 has it`)
})

test('a heap that is kept small is not moved together: its emptied pages would stay', () => {
  // Every second thing is given up, so that each page has gaps; V8 is told to fill them whenever it collects.
  const pagesOf = (begin: string) =>
    said(
      ['--expose-gc', '--compact-on-every-full-gc'],
      `import { getHeapSpaceStatistics } from 'node:v8'
      ${begin}
      const sizeOf = () => getHeapSpaceStatistics().find(space => space.space_name === 'old_space').physical_space_size
      let held = Array.from({ length: 40_000 }, () => Array.from({ length: 60 }, (_, index) => index + 0.5))
      gc()
      const before = sizeOf()
      held = held.filter((_, index) => index % 2 === 0)
      gc()
      console.log(JSON.stringify({ share: sizeOf() / before, count: held.length }))`,
    ).share ?? 0
  const [usual, small] = [pagesOf(begins.usual), pagesOf(begins.small)]
  assert.ok(usual < 0.75 && small > 0.9, `${small} of the pages, and ${usual} as V8 has it`)
})

test('the command, the image and the units start a service with the same settings of memory', async () => {
  const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
  for (const path of [
    'cli/bin/chancery.js',
    'Dockerfile',
    'deploy/systemd/chancery.service',
    'deploy/systemd/chancery@.service',
  ]) {
    const text = await read(path)
    assert.match(text, /--max-semi-space-size=4\b/, path)
    assert.match(text, /MALLOC_ARENA_MAX(=|: ')1\b/, path)
  }
})
