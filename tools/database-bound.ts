import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Where tests come to the database and the Redis of their run. */
const doors = ['server/test/support/database.ts', 'server/test/limits/redis-server.ts']
/** The tests of faults bring their own parts, to break them; what a browser shows is the same on any. */
const candidates = [
  '{server,connect,cli}/test/!(browser|faults)/**/*.test.ts',
  '{server,connect,cli}/test/*.test.ts',
]
/** What a file imports, or starts as a program. */
const named = /(?:\bfrom|\bimport|\bnew URL)\s*\(?\s*'(\.[^']+\.ts)'/g

/**
 * The test files below `root` that speak to the database or the Redis of their run, themselves or through what they import or start.
 * All others do the same whatever it is.
 */
export function databaseBound(root: string): string[] {
  const known = new Map<string, string[]>()
  const namedBy = (file: string): string[] => {
    const found =
      known.get(file) ??
      [...readFileSync(file, 'utf8').matchAll(named)]
        .map(([, to = '']) => path.resolve(path.dirname(file), to))
        .filter(to => existsSync(to))
    known.set(file, found)
    return found
  }
  const isBound = (file: string): boolean => {
    const reached = new Set([file])
    for (const one of reached) for (const to of namedBy(one)) reached.add(to)
    return doors.some(door => reached.has(path.join(root, door)))
  }
  return globSync(candidates, { cwd: root })
    .filter(file => isBound(path.join(root, file)))
    .sort()
}
