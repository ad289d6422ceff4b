/**
 * Compares the OpenAPI documents with those of the newest release, else of main. Exits 1 naming each breaking change that the
 * changelog does not name under "Breaking". CHANCERY_BASE names another commit to compare with.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BreakingChange, breakingChanges, breakingSection } from './breaking-changes.ts'
import type { Document } from './document.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const documents = ['contract/openapi.json', 'contract/operator.openapi.json']

function git(...words: string[]): string | undefined {
  const options = {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
    maxBuffer: 2 ** 26,
  } as const
  try {
    return execFileSync('git', words, options).trim()
  } catch {
    return undefined
  }
}

/** The newest release; before the first one, the commit of main before these. */
function findBase(): string | undefined {
  const head = git('rev-parse', 'HEAD')
  const release = git('describe', '--tags', '--abbrev=0', '--match', 'v*')
  const main = git('merge-base', 'HEAD', 'origin/main')
  const previous = main === undefined || main === head ? git('rev-parse', 'HEAD~1') : main
  return process.env.CHANCERY_BASE || release || previous
}

const base = findBase()
const read = (text: string): Document => JSON.parse(text)

function changesSince(commit: string, path: string): BreakingChange[] {
  const published = git('show', `${commit}:${path}`)
  if (published === undefined) return []
  return breakingChanges(read(published), read(readFileSync(join(root, path), 'utf8')))
}

if (base === undefined) {
  console.log('skipped: there is no earlier commit to compare with')
} else {
  const version = JSON.parse(git('show', `${base}:contract/package.json`) ?? '{}').version ?? '0.0.0'
  const named = breakingSection(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
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
