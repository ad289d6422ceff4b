import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { rejectOnEnd } from '../../../server/src/store/embedded/child-failure.ts'
import type { BareLoopOrder, BareLoopResult, ReceiverReport, ReceiverRequest } from './messages.ts'

const start = (file: string): ChildProcess =>
  fork(fileURLToPath(new URL(file, import.meta.url)), { serialization: 'advanced' })

export interface Receiver {
  url: string
  ask(request: ReceiverRequest): Promise<ReceiverReport>
  close(): void
}

export async function startReceiver(): Promise<Receiver> {
  const child = start('receiver.ts')
  const [{ port }] = (await Promise.race([once(child, 'message'), rejectOnEnd(child, 'receiver.ts')])) as [
    { port: number },
  ]
  return {
    url: `http://127.0.0.1:${port}`,
    async ask(request) {
      const answered = once(child, 'message')
      child.send(request)
      return (await answered)[0] as ReceiverReport
    },
    close: () => void child.kill(),
  }
}

/** Runs the bare loop in a process of its own. */
export async function runBareLoop(order: BareLoopOrder): Promise<BareLoopResult> {
  const child = start('bare-loop.ts')
  child.send(order)
  const [result] = (await Promise.race([once(child, 'message'), rejectOnEnd(child, 'bare-loop.ts')])) as [
    BareLoopResult,
  ]
  return result
}
