import { SingleBar } from 'cli-progress'
import type { Terminal } from './terminal.ts'

/** A progress bar on a terminal; no output elsewhere. */
export interface Progress {
  update(value: number, text: string): void
  stop(): void
}

/** A bar that fills up to `total`, followed by a text; the text alone if the total is unknown. */
export function startProgress({ messages }: Terminal, label: string, total?: number): Progress {
  if (!messages.isTTY) return { update() {}, stop() {} }
  const bar = new SingleBar({
    format: total === undefined ? `${label}  {text}` : `${label}  {bar} {percentage}%  {text}`,
    stream: messages,
    barsize: 30,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    // null leaves it visible: a process that is killed could not restore it.
    hideCursor: null,
    clearOnComplete: true,
    gracefulExit: false,
    emptyOnZero: true,
  })
  bar.start(total ?? 0, 0, { text: '' })
  return {
    update: (value, text) => bar.update(Math.min(value, total ?? value), { text }),
    stop: () => bar.stop(),
  }
}
