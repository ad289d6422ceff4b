/**
 * Compares the OpenAPI documents with those of the newest release. Exits 1 naming each breaking change that the changelog does not
 * name under "Breaking". CHANCERY_BASE names another commit to compare with.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findRelease, git } from './base.ts'
import { type BreakingChange, breakingChanges, breakingSection } from './breaking-changes.ts'
import type { Document } from './document.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const documents = ['contract/openapi.json', 'contract/operator.openapi.json']

const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const base = process.env.CHANCERY_BASE || findRelease(root, changelog)
const read = (text: string): Document => JSON.parse(text)

function changesSince(commit: string, path: string): BreakingChange[] {
  const published = git(root, 'show', `${commit}:${path}`)
  if (published === undefined) return []
  return breakingChanges(read(published), read(readFileSync(join(root, path), 'utf8')))
}

if (base === undefined) {
  console.log('skipped: the history has no release to compare with')
} else {
  const version = JSON.parse(git(root, 'show', `${base}:contract/package.json`) ?? '{}').version ?? '0.0.0'
  const named = breakingSection(changelog, version)
  const found = documents.flatMap(path => changesSince(base, path))
  const unnamed = found.filter(({ subject }) => !named.includes(`\`${subject}\``))
  for (const { subject, change } of unnamed) console.error(`${subject}: ${change}`)
  if (unnamed.length > 0) {
    console.error(
      '\nThese changes break callers. Undo them, or name each under "### Breaking" in CHANGELOG.md.',
    )
    process.exitCode = 1
  } else {
    console.log(`${found.length} breaking changes since ${base.slice(0, 12)}, all of them in the changelog`)
  }
}
