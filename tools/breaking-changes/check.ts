/**
 * Compares contract/openapi.json with what was promised before: with the newest release's, else with main's. Exits 1 naming each
 * breaking change that the changelog does not name under "Breaking". CHANCERY_BASE names another commit to compare with.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { breakingSection } from './changelog.ts'
import { breakingChanges, type Document } from './find.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const document = 'contract/openapi.json'

function git(...words: string[]): string | undefined {
  try {
    return execFileSync('git', words, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 26,
    }).trim()
  } catch {
    return undefined
  }
}

/** What others build on: a release; before the first one, what main was before these commits. */
function findBase(): string | undefined {
  const head = git('rev-parse', 'HEAD')
  const release = git('describe', '--tags', '--abbrev=0', '--match', 'v*')
  const main = git('merge-base', 'HEAD', 'origin/main')
  return (
    process.env.CHANCERY_BASE ??
    release ??
    (main === undefined || main === head ? git('rev-parse', 'HEAD~1') : main)
  )
}

const base = findBase()
const promised = base && git('show', `${base}:${document}`)
if (!base || !promised) {
  console.log('skipped: there is no earlier commit to compare with')
} else {
  const before = JSON.parse(promised) as Document
  const after = JSON.parse(readFileSync(new URL(document, `file://${root}`), 'utf8')) as Document
  const said = breakingSection(readFileSync(new URL('CHANGELOG.md', `file://${root}`), 'utf8'))
  const found = breakingChanges(before, after)
  const unsaid = found.filter(({ subject }) => !said.includes(`\`${subject}\``))
  for (const { subject, change } of unsaid) console.error(`${subject}: ${change}`)
  if (unsaid.length > 0) {
    console.error(
      '\nThese break what callers rely on. Keep them as they were, or name each under "### Breaking" in CHANGELOG.md.',
    )
    process.exitCode = 1
  } else {
    console.log(`${found.length} breaking changes since ${base.slice(0, 12)}, all of them in the changelog`)
  }
}
