import type { Readable } from 'node:stream'
import type { WriteStream } from 'node:tty'

/** Where a command reads and writes. */
export interface Terminal {
  env: NodeJS.ProcessEnv
  input: Readable
  output: NodeJS.WritableStream
  messages: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>
}

/** Prints a result: text for people, or one JSON document. */
export function print(terminal: Terminal, json: boolean | undefined, document: unknown, text: string) {
  terminal.output.write(json ? `${JSON.stringify(document, null, 2)}\n` : `${text}\n`)
}

export function say(terminal: Terminal, message: string) {
  terminal.messages.write(`${message}\n`)
}
