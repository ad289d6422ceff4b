import type { Readable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { showControls } from './stranger-text.ts'

/** Where a command reads and writes. */
export interface Terminal {
  env: NodeJS.ProcessEnv
  input: Readable
  output: NodeJS.WritableStream
  messages: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>
  /** Set by commands that run until they are stopped: what they print is no result, and its loss does not end them. */
  ignoresOutputErrors?: boolean
}

/** Prints a result: text for people, or one JSON document. Nothing in either gives the terminal orders. */
export function print(terminal: Terminal, json: boolean | undefined, document: unknown, text: string) {
  terminal.output.write(`${showControls(json ? JSON.stringify(document, null, 2) : text)}\n`)
}

export function say(terminal: Pick<Terminal, 'messages'>, message: string) {
  terminal.messages.write(`${showControls(message)}\n`)
}
