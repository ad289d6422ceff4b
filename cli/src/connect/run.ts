import { type Pacing, usualPacing } from '@chancery/connect'
import { showControls } from '../stranger-text.ts'
import type { Terminal } from '../terminal.ts'

export const pacingOf = (everySeconds: number): Pacing => ({ ...usualPacing, everyMs: everySeconds * 1000 })

/** One line of a run that goes on: text for people, or a JSON document. */
export const line = (terminal: Terminal, json: boolean, document: unknown, text: string) =>
  terminal.output.write(`${showControls(json ? JSON.stringify(document) : text)}\n`)
