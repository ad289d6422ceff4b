import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The modules through which tests use the database and the Redis of their run. */
const entryPoints = ['server/test/support/database.ts', 'server/test/limits/redis-server.ts']
/** Fault tests start their own servers to break them; browser tests do not depend on them. */
const candidates = [
  '{server,connect,cli}/test/!(browser|faults)/**/*.test.ts',
  '{server,connect,cli}/test/*.test.ts',
]
/** What a file imports, or starts as a program. */
const importPattern = /(?:\bfrom|\bimport|\bnew URL)\s*\(?\s*'(\.[^']+\.ts)'/g

/**
 * The test files below `root` that use the database or the Redis of their run, directly or through what they import or start.
 */
export function databaseBound(root: string): string[] {
  const known = new Map<string, string[]>()
  const namedBy = (file: string): string[] => {
    const found =
      known.get(file) ??
      [...readFileSync(file, 'utf8').matchAll(importPattern)]
        .map(([, to = '']) => path.resolve(path.dirname(file), to))
        .filter(to => existsSync(to))
    known.set(file, found)
    return found
  }
  const isBound = (file: string): boolean => {
    const reached = new Set([file])
    for (const one of reached) for (const to of namedBy(one)) reached.add(to)
    return entryPoints.some(file => reached.has(path.join(root, file)))
  }
  return globSync(candidates, { cwd: root })
    .filter(file => isBound(path.join(root, file)))
    .sort()
}
