import { createInterface } from 'node:readline/promises'
import { UsageError } from './command-error.ts'
import type { Terminal } from './terminal.ts'

/**
 * Asks on a terminal for a word that nobody types by accident; true where it was typed.
 * Throws a UsageError where nobody is there to ask: scripts say --yes.
 */
export async function confirm(terminal: Terminal, question: string, word: string): Promise<boolean> {
  const { input, messages } = terminal
  if (!messages.isTTY || !('isTTY' in input && input.isTTY))
    throw new UsageError('there is no terminal to ask on: say --yes if it is meant')
  const lines = createInterface({ input, output: messages })
  try {
    const { promise: ended, resolve } = Promise.withResolvers<string>()
    lines.once('close', () => resolve(''))
    const answer = await Promise.race([lines.question(`${question}\nType ${word} to go on: `), ended])
    return answer.trim() === word
  } finally {
    lines.close()
  }
}
