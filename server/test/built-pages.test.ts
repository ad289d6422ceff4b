import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { manifestFile, openBuiltPages } from '../src/docs/built-pages.ts'
import { isText } from '../src/http/static-file.ts'

let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'chancery-pages-'))
})
after(() => rm(directory, { recursive: true }))

const manifest = () => join(directory, manifestFile)

test('pages that are missing, or of other sources, are built at the first request', async () => {
  const built = await openBuiltPages(directory)
  assert.ok(built.some(({ listener, path }) => listener === 'operator' && path === '/docs/'))
  for (const { file, contentType } of built)
    for (const ending of isText(contentType) ? ['', '.br', '.gz'] : [''])
      assert.ok((await readFile(join(directory, file + ending))).length > 0)
  const current = await readFile(manifest(), 'utf8')
  await writeFile(manifest(), JSON.stringify({ sources: 'of another version', pages: [] }))
  assert.deepEqual(await openBuiltPages(directory), built)
  assert.equal(await readFile(manifest(), 'utf8'), current)
})

test('pages of these sources are not built again', async () => {
  await openBuiltPages(directory)
  const marked = { ...JSON.parse(await readFile(manifest(), 'utf8')), pages: [] }
  await writeFile(manifest(), JSON.stringify(marked))
  assert.deepEqual(await openBuiltPages(directory), [])
})

test('pages that cannot be built are an error that says what to do', async () => {
  await assert.rejects(openBuiltPages(join(manifest(), 'below-a-file')), {
    code: 'unavailable',
    message: 'The documentation is not built for this version: run npm ci.',
  })
})
