/**
 * Checks that words which were replaced by field terms do not come back: in identifiers, comments, messages, documents and the
 * names of files. Exits 1 and prints each place with what to use instead.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A line of banned-words.txt, which describes its format. */
export interface BannedWord {
  forms: string
  pattern: RegExp
  use: string
  isCode: boolean
  allowed: string[]
}

export interface Finding {
  file: string
  /** 0: the path of the file. */
  line: number
  word: string
  use: string
}

const isWithin = (file: string, place: string) => file === place || file.startsWith(`${place}/`)

/** Matches the forms as words and as parts of an identifier: `told`, `Told`, `toldNobody`, `isTold`, `was_told`. */
export function patternOf(forms: string): RegExp {
  const capitalized = forms.replaceAll(/(^|\|)([a-z])/g, (_, bar, letter) => bar + letter.toUpperCase())
  const start = '(?<![A-Za-z])'
  return new RegExp(`${start}(?:${forms}|${capitalized})(?![a-z])|(?<=[a-z0-9])(?:${capitalized})(?![a-z])`)
}

const places = (part: string | undefined) =>
  part
    ?.split(/[:\s]+/)
    .slice(1)
    .filter(Boolean) ?? []

export function parseWords(text: string): BannedWord[] {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return lines.map(line => {
    const [head = '', ...parts] = line.split(';').map(part => part.trim())
    const [forms = '', use = ''] = head.split(' => ')
    return {
      forms,
      pattern: patternOf(forms),
      use,
      isCode: parts.includes('code'),
      allowed: places(parts.find(part => part.startsWith('allowed:'))),
    }
  })
}

const codeFile = /\.(ts|tsx|js|mjs|sql|sh)$/

/** The banned words of a file, in its path and its text. */
export function findWords(file: string, text: string, words: readonly BannedWord[]): Finding[] {
  const applied = words.filter(
    ({ isCode, allowed }) =>
      !(isCode && !codeFile.test(file)) && !allowed.some(place => isWithin(file, place)),
  )
  if (applied.length === 0) return []
  return [file, ...text.split('\n')].flatMap((line, index) =>
    applied.flatMap(({ pattern, use }) => {
      const word = pattern.exec(line)?.[0]
      return word === undefined ? [] : { file, line: index, word, use }
    }),
  )
}

/** Every text file that git tracks or would track: a new file counts before it is added. */
export function textFilesIn(directory: string): string[] {
  const options = { cwd: directory, encoding: 'utf8', maxBuffer: 2 ** 26 } as const
  const listed = execFileSync('git', ['grep', '--untracked', '-I', '-l', '-z', '-e', ''], options)
  return listed.split('\0').filter(Boolean)
}

/** Generated and released files, the fiction of the demo world, and the list itself. */
const exempt = [
  'CHANGELOG.md',
  'LICENSE',
  'package-lock.json',
  'contract/examples.json',
  'contract/facts.schema.json',
  'contract/openapi.json',
  'contract/operator.openapi.json',
  'server/src/store/migrations',
  'server/src/store/schema.sql',
  'simulator/src/names',
  'simulator/src/news',
  'simulator/src/reasons.ts',
  'tools/banned-words.txt',
  'tools/check-words.ts',
  'tools/check-words.test.ts',
]

if (import.meta.main) {
  const root = fileURLToPath(new URL('../', import.meta.url))
  const texts = textFilesIn(root)
    .filter(file => !exempt.some(place => isWithin(file, place)))
    .map(file => ({ file, text: readFileSync(`${root}${file}`, 'utf8') }))
  const words = parseWords(readFileSync(`${root}tools/banned-words.txt`, 'utf8'))
  const findings = texts.flatMap(({ file, text }) => findWords(file, text, words))
  for (const { file, line, word, use } of findings)
    console.error(`${line === 0 ? `the path ${file}` : `${file}:${line}`}: "${word}": use ${use}`)
  if (findings.length > 0) process.exitCode = 1
  else console.log(`${texts.length} files, ${words.length} words`)
}
