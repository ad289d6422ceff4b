import type { Readable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { UsageError } from './command-error.ts'
import { sanitizeForTerminal } from './untrusted-text.ts'

/** The streams and the environment of a command. */
export interface Terminal {
  env: NodeJS.ProcessEnv
  input: Readable
  output: NodeJS.WritableStream
  messages: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>
  /** Set by commands that run until they are stopped: their output is not a result, and a failure to write it does not end them. */
  ignoresOutputErrors?: boolean
}

/** Prints a result: text for people, or one JSON document. Control characters are escaped in both. */
export function print(terminal: Terminal, json: boolean | undefined, document: unknown, text: string) {
  terminal.output.write(`${sanitizeForTerminal(json ? JSON.stringify(document, null, 2) : text)}\n`)
}

/** Prints one line of a command that keeps running: text for people, or a JSON document. */
export function printLine(terminal: Terminal, json: boolean, document: unknown, text: string) {
  terminal.output.write(`${sanitizeForTerminal(json ? JSON.stringify(document) : text)}\n`)
}

/** Writes a message to standard error. */
export function logStatus(terminal: Pick<Terminal, 'messages'>, message: string) {
  terminal.messages.write(`${sanitizeForTerminal(message)}\n`)
}

/**
 * Prompts for a word that is not typed by accident; true if it was typed.
 * Throws a UsageError without a terminal: scripts pass --yes.
 */
export async function confirm(terminal: Terminal, warning: string, word: string): Promise<boolean> {
  const { input, messages } = terminal
  if (!messages.isTTY || !('isTTY' in input && input.isTTY))
    throw new UsageError('confirmation requires a terminal: pass --yes to continue without it')
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input, output: messages })
  try {
    const { promise: ended, resolve } = Promise.withResolvers<string>()
    lines.once('close', () => resolve(''))
    const typed = await Promise.race([lines.question(`${warning}\nType ${word} to continue: `), ended])
    return typed.trim() === word
  } finally {
    lines.close()
  }
}
