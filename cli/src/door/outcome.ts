import { type BatchStatus, batchStatusNames } from '@chancery/contract'
import { CommandError } from '../command-error.ts'
import { isRecord } from '../record.ts'

export interface Refusal {
  /** In the stream, from 1; 0 where no line is at fault. */
  line: number
  path: string
  reason: string
  /** What stands there, shortened; only of what everybody may read. */
  value?: string
}

/** What became of one batch, as the operator listener tells. */
export interface Outcome {
  batch: string | null
  status: BatchStatus
  facts: number
  /** null where a check does not count for this token. */
  events: number | null
  last_seq: number | null
  refused: Refusal[]
  /** Whether the operator finds it among the refused batches, with its facts. */
  is_kept: boolean
}

/** Reads one line of the answer. Throws a CommandError for what no Chancery says. */
export function readOutcome(line: string): Outcome {
  const value = parse(line)
  const status = isRecord(value) ? batchStatusNames.find(known => known === value.status) : undefined
  if (!isRecord(value) || status === undefined) throw strange(line)
  const { batch, facts, events, last_seq: lastSeq, refused } = value
  return {
    batch: typeof batch === 'string' ? batch : null,
    status,
    facts: Number(facts ?? 0),
    events: typeof events === 'number' ? events : null,
    last_seq: typeof lastSeq === 'number' ? lastSeq : null,
    refused: (Array.isArray(refused) ? refused : []).filter(isRecord).map(refusal => ({
      line: Number(refusal.line ?? 0),
      path: String(refusal.path ?? ''),
      reason: String(refusal.reason ?? ''),
      ...(typeof refusal.value === 'string' ? { value: refusal.value } : {}),
    })),
    is_kept: value.is_kept === true,
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw strange(line)
  }
}

const strange = (line: string) =>
  new CommandError(`the service answered something else than what became of a batch: ${line.slice(0, 200)}`)
