import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { pageWith } from './page.ts'
import { plotOf } from './plot.ts'
import type { Results } from './results.ts'

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const latest = fromRoot('bench/results/latest.json')
const page = fromRoot('docs/operations/performance.md')
const plot = fromRoot('docs/operations/performance.svg')

/** What was written last, or undefined. */
export const readLatest = async (): Promise<Results | undefined> => {
  const text = await readFile(latest, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Results)
}

/** Writes the results, and the page and the plot that are made from them. */
export async function writeResults(results: Results): Promise<void> {
  await mkdir(fromRoot('bench/results'), { recursive: true })
  await writeFile(latest, `${JSON.stringify(results, null, 2)}\n`)
  await writeFile(plot, plotOf(results))
  await writeFile(page, pageWith(await readFile(page, 'utf8'), results))
  // As everything else in the repository is written.
  await promisify(execFile)(fromRoot('node_modules/.bin/biome'), ['format', '--write', page, latest])
}
