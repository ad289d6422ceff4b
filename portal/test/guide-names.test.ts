import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { guideNames } from '../src/ui/guide-names.ts'

test('every guide that pages link to exists', () => {
  const files = readdirSync(new URL('../../docs/guides/', import.meta.url))
  assert.deepEqual(
    guideNames.filter(name => !files.includes(`${name}.md`)),
    [],
  )
})
