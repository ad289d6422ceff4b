import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { pageWith } from './page.ts'
import { plotOf } from './plot.ts'
import type { Results } from './results.ts'

export const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const file = fromRoot('bench/results.json')
const page = fromRoot('docs/operations/performance.md')

/** Formats files as the rest of the repository. */
export const format = (...files: string[]) =>
  promisify(execFile)(fromRoot('node_modules/.bin/biome'), ['format', '--write', ...files])

/** Replaces the parts of bench/results.json that were measured, and writes the page and the plot that are made of it. */
export async function writeResults(measured: Results): Promise<void> {
  const previous = await readFile(file, 'utf8').catch(() => '{}')
  const results: Results = { ...(JSON.parse(previous) as Results), ...measured }
  await writeFile(file, `${JSON.stringify(results)}\n`)
  if (results.http) await writeFile(fromRoot('docs/operations/performance.svg'), plotOf(results.http))
  await writeFile(page, pageWith(await readFile(page, 'utf8'), results))
  await format(page, file)
}
