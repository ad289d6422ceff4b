import { factBytesMax } from '@chancery/contract'
import type { Refusal } from '../store/batch.ts'
import { type CheckedFact, type FactChecker, isRefusal, parseFact } from './check-fact.ts'
import { readLines } from './lines.ts'
import { refusalsMax } from './outcome.ts'
import { Spool, type SpooledBatch } from './spool.ts'

/** A batch as it came out of the stream: all its facts good by themselves, or why not. */
export type Collected =
  | { id: string; batch: SpooledBatch; spool: Spool }
  | { id: string | null; refusals: Refusal[] }

/** Cuts a stream of facts into batches. Whoever is given a spool clears it. */
export async function* collectBatches(
  check: FactChecker,
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<Collected> {
  let spool = new Spool()
  let refusals: Refusal[] = []
  let lastLine = 0
  let isOpen = false

  const close = (commit: Extract<CheckedFact, { op: 'commit' }>['commit']): Collected => {
    if (isRefusal(commit)) return { id: null, refusals: [...refusals, commit] }
    if (refusals.length > 0) return { id: commit.batch, refusals }
    return { id: commit.batch, batch: spool.close(commit.batch, commit.announce ?? true), spool }
  }

  try {
    for await (const lines of readLines(input, factBytesMax)) {
      for (const line of lines) {
        lastLine = line.number
        if ('text' in line && line.text.trim() === '') continue
        isOpen = true
        const checked = checkLine(check, line)
        if (isRefusal(checked)) {
          if (refusals.length < refusalsMax) refusals.push(checked)
        } else if (checked.op !== 'commit') {
          if (refusals.length === 0) await spool.add(checked, 'text' in line ? line.text : '')
        } else {
          const collected = close(checked.commit)
          if ('refusals' in collected) await spool.clear()
          else spool = new Spool()
          refusals = []
          isOpen = false
          yield collected
        }
      }
    }
    if (isOpen) {
      const reason = 'the stream ended before this batch was committed: nothing of it is stored'
      yield { id: null, refusals: [...refusals, { line: lastLine, path: '', reason }] }
    }
  } finally {
    await spool.clear()
  }
}

export function checkLine(
  check: FactChecker,
  line: { number: number; text?: string; problem?: string },
): CheckedFact | Refusal {
  if (line.text === undefined) return { line: line.number, path: '', reason: line.problem ?? 'unreadable' }
  const parsed = parseFact(line.text, line.number)
  return 'reason' in parsed ? parsed : check(parsed.value, line.number)
}
