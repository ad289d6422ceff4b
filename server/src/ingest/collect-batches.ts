import { factBytesMax } from '@chancery/contract'
import { retiredResources } from '../resources/eras/reset.ts'
import type { Refusal } from '../store/batch.ts'
import { type CheckedFact, type FactChecker, isRefused } from './check-fact.ts'
import { readLines } from './lines.ts'
import { RefusalList } from './outcome.ts'
import { parseFact } from './parse-fact.ts'
import { anyId, type Commit, type Sent, SentText, type Thing } from './sent-text.ts'
import { Spool, type SpooledBatch } from './spool.ts'

/** A batch as it came out of the stream: all its facts good by themselves, or why not. */
export type Collected = { sent: Sent; commit: Commit } & (
  | { id: string; batch: SpooledBatch; spool: Spool }
  | { id: string | null; refusals: Refusal[] }
)

/** Cuts a stream of facts into batches. Whoever is given a spool clears it. */
export async function* collectBatches(
  check: FactChecker,
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<Collected> {
  let spool = new Spool()
  let text = new SentText()
  let refusals = new RefusalList()
  let lastLine = 0
  let isOpen = false

  const close = (commit: Extract<CheckedFact, { op: 'commit' }>['commit']): Collected => {
    const sent = text.sent()
    if (isRefused(commit)) {
      refusals.add(commit)
      return { id: null, refusals: refusals.list(), sent, commit: {} }
    }
    const id = commit.batch
    if (!refusals.isEmpty) return { id, refusals: refusals.list(), sent, commit }
    return { id, batch: spool.close(commit), spool, sent, commit }
  }
  try {
    for await (const lines of readLines(input, factBytesMax)) {
      for (const line of lines) {
        lastLine = line.number
        if ('text' in line && line.text.trim() === '') continue
        isOpen = true
        const checked = checkLine(check, line)
        if (isRefused(checked)) {
          text.add(line.number, 'text' in line ? line.text : undefined, [])
          refusals.add(checked)
        } else if (checked.op !== 'commit') {
          const lineText = 'text' in line ? line.text : ''
          text.add(line.number, lineText, thingsOf(checked))
          const misplaced = refusals.isEmpty ? await spool.add(checked, lineText) : undefined
          if (misplaced) refusals.add([misplaced])
        } else {
          const collected = close(checked.commit)
          if ('refusals' in collected) await spool.clear()
          else spool = new Spool()
          text = new SentText()
          refusals = new RefusalList()
          isOpen = false
          yield collected
        }
      }
    }
    if (isOpen) {
      const reason = 'the stream ended before this batch was committed: nothing of it is stored'
      refusals.add([{ line: lastLine, path: '', reason }])
      yield { id: null, refusals: refusals.list(), sent: text.sent(), commit: {} }
    }
  } finally {
    await spool.clear()
  }
}

export function checkLine(
  check: FactChecker,
  line: { number: number; text?: string; problem?: string },
): CheckedFact | Refusal[] {
  if (line.text === undefined) return [{ line: line.number, path: '', reason: line.problem ?? 'unreadable' }]
  const parsed = parseFact(line.text, line.number)
  return 'reason' in parsed ? [parsed] : check(parsed.value, line.number)
}

/** The things that a fact changes. */
export function thingsOf(fact: CheckedFact): Thing[] {
  if (fact.op === 'change') return [{ resource: fact.resource, id: fact.change.key }]
  if (fact.op === 'snapshot') return [{ resource: fact.snapshot.resource, id: anyId }]
  return fact.op === 'reset' ? retiredResources.map(resource => ({ resource, id: anyId })) : []
}
