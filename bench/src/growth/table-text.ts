import type { Timing } from './asking.ts'
import { missesOf, type Result } from './page.ts'

/** The results for a terminal: a line for each question, world after world; at the end what does not keep its bounds. */
export function tableTextOf(result: Result): string {
  const lines: string[] = []
  for (const { nations, events, wars, ingest, measured } of result.worlds) {
    lines.push(`\n${nations} nations, ${wars} wars, ${events} events`)
    if (ingest) {
      const { factsPerSecond, copyFactsPerSecond } = ingest
      lines.push(`${factsPerSecond} facts/s; a bare COPY of such rows ${copyFactsPerSecond} facts/s`)
    }
    lines.push(`${'first p50/p99'.padStart(16)}${'middle'.padStart(16)}${'last'.padStart(16)}     total`)
    for (const { operation, name, total, pages } of measured)
      lines.push(
        `${cell(pages.first)}${cell(pages.middle)}${cell(pages.last)}${String(total ?? '').padStart(10)}  ${operation} ${name}`,
      )
  }
  const misses = missesOf(result)
  lines.push(misses.length === 0 ? '\nEverything keeps its bounds.' : '\nBeyond their bounds:')
  for (const { question, why } of misses) lines.push(`  ${question}: ${why}`)
  return lines.join('\n')
}

const cell = (timing: Timing | undefined) =>
  (timing ? `${timing.p50.toFixed(1)}/${timing.p99.toFixed(1)}` : '').padStart(16)
