import { readFileSync } from 'node:fs'

/** A connection takes some 10 KB, so that they are 200 MB at most. */
const connectionsAtMost = 20_000

/** What the rest of the process opens: the database, webhooks, files. At most half of what there is. */
const reservedFiles = 500

/** How many connections the public listener may hold: beyond the files that a process may open, the database could not be reached either. */
export function connectionsMax(filesMax = readFilesMax()): number {
  const forConnections = Math.max(filesMax - reservedFiles, Math.floor(filesMax / 2))
  return Math.min(connectionsAtMost, forConnections)
}

/** How many files this process may open. Node raises the soft limit to the hard one when it starts. */
function readFilesMax(): number {
  try {
    const [, files] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return files === undefined ? Number.POSITIVE_INFINITY : Number(files)
  } catch {
    // Only a Linux says it in a file.
    return Number.POSITIVE_INFINITY
  }
}
