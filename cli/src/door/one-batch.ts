import { randomUUID } from 'node:crypto'
import { rejectionText } from '@chancery/contract'
import { CommandError } from '../command-error.ts'
import { sendFacts } from './facts-stream.ts'
import type { OperatorDoor } from './operator-door.ts'
import type { Outcome } from './outcome.ts'

/**
 * Sends facts as one batch with an id of its own, which begins with `name`.
 * Throws a CommandError where it is not applied; such a batch is not kept for the operator, who sees at once why.
 */
export async function sendBatch(
  door: OperatorDoor,
  name: string,
  facts: readonly object[],
): Promise<Outcome> {
  const commit = { op: 'commit', batch: `${name}-${randomUUID()}` }
  const lines = [...facts, commit].map(fact => `${JSON.stringify(fact)}\n`)
  for await (const outcome of sendFacts(door, oneText(lines.join('')), { isKept: false })) {
    if (outcome.status === 'applied') return outcome
    const [refusal] = outcome.refused
    throw new CommandError(
      refusal
        ? `nothing was changed: ${outcome.refused.map(rejectionText).join('; ')}`
        : `nothing was changed: the service says ${outcome.status}; try again`,
    )
  }
  throw new CommandError(
    'the service did not say what became of the batch: look at what is there, and try again',
  )
}

async function* oneText(text: string): AsyncGenerator<string> {
  yield text
}
