import { execFileSync } from 'node:child_process'

/** The output of a git command, undefined where it fails. */
export function git(folder: string, ...words: string[]): string | undefined {
  const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 26 } as const
  try {
    return execFileSync('git', words, options).trim()
  } catch {
    return undefined
  }
}

/**
 * The commit of the newest release: its tag, else the commit that gave the changelog its heading. What was added since then has no
 * callers yet, and may still change. Undefined where the history does not reach back so far.
 */
export function findRelease(folder: string, changelog: string): string | undefined {
  const [heading] = changelog.match(/^## \[\d.*\]/m) ?? []
  const headed = heading && git(folder, 'log', '--format=%H', `-S${heading}`, '--', 'CHANGELOG.md')
  return (
    git(folder, 'describe', '--tags', '--abbrev=0', '--match', 'v*') ||
    headed?.split('\n').at(-1) ||
    undefined
  )
}
