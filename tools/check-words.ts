/** Checks that the words which were removed do not come back. Exits 1 and prints each place with what to use instead. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type BannedWord, bannedWords, exempt } from './banned-words.ts'

export interface Finding {
  file: string
  line: number
  word: string
  use: string
}

/** Whether a folder or file contains a path. */
const contains = (place: string, file: string) => file === place || file.startsWith(`${place}/`)

export function findWords(file: string, text: string, words: readonly BannedWord[] = bannedWords): Finding[] {
  if (exempt.some(place => contains(place, file))) return []
  const applied = words.filter(
    ({ where, except = [] }) =>
      where.some(place => place === '*' || contains(place, file)) &&
      !except.some(place => contains(place, file)),
  )
  if (applied.length === 0) return []
  return text.split('\n').flatMap((line, index) =>
    applied.flatMap(({ word, use }) => {
      const found = word.exec(line)?.[0]
      return found === undefined ? [] : { file, line: index + 1, word: found, use }
    }),
  )
}

/** Text files that git tracks; written files such as generated documents are exempt. */
function trackedFiles(root: string): string[] {
  const list = execFileSync('git', ['grep', '-I', '-l', '-z', '-e', ''], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  return list.split('\0').filter(Boolean)
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('../', import.meta.url))
  const files = trackedFiles(root)
  const findings = files.flatMap(file => findWords(file, readFileSync(`${root}${file}`, 'utf8')))
  for (const { file, line, word, use } of findings) console.error(`${file}:${line}: "${word}": ${use}`)
  if (findings.length > 0) process.exitCode = 1
  else console.log(`${files.length} files, ${bannedWords.length} words`)
}
