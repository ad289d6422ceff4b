import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const folders =
  'acceptance|bench|cli|client|connect|contract|deploy|docs|examples|portal|server|simulator|tools'
const isPath = new RegExp(`^(?:${folders})/[\\w./*-]*$`)
const isFileName = /^[\w-]+\.(?:ts|tsx|sql)$/
/** What a build or a running demo writes. */
const isGenerated = /(?:^|\/)dist(?:\/|$)/

const fileNames = new Set(
  globSync(`{${folders.replaceAll('|', ',')}}/**/*.{ts,tsx,sql}`, {
    cwd: root,
    exclude: name => name === 'node_modules',
  }).map(file => path.basename(file)),
)
const exists = (span: string) =>
  isFileName.test(span) ? fileNames.has(span) : globSync(span.replace(/\/$/, ''), { cwd: root }).length > 0

for (const page of ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })]) {
  test(`files and folders that ${page} names exist`, () => {
    const text = readFileSync(path.join(root, page), 'utf8')
    // A replaced decision names what was there in its time.
    if (/^Replaced by /m.test(text)) return
    const prose = text.replaceAll(/^```.*?^```/gms, '')
    const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
    const named = spans.filter(
      span => (isPath.test(span) || isFileName.test(span)) && !isGenerated.test(span),
    )
    assert.deepEqual(
      named.filter(span => !exists(span)),
      [],
    )
  })
}

test('docs/architecture.md lists the steps of a request in the order of the code', () => {
  const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
  const head = read('server/src/http/define-operation.ts').split('*/', 1)[0] ?? ''
  const steps = [...head.matchAll(/^ \* +(\d\. \w+)/gm)].map(([, step]) => step)
  const [, section = ''] = /^## An API request$(.*?)^## /ms.exec(read('docs/architecture.md')) ?? []
  const listed = [...section.matchAll(/^(\d\. )\*\*(\w+)\*\*/gm)].map(
    ([, number = '', step = '']) => number + step.toLowerCase(),
  )
  assert.equal(steps.length, 9)
  assert.deepEqual(listed, steps)
})
