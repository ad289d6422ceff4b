import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describeEnd, describeFailure } from '../../../server/src/store/embedded/child-failure.ts'

export interface Load {
  calls: number
  perSecond: number
}

/** Runs wrk on one path. Rejects where anything was not answered with 200. */
export async function load(
  url: string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Load> {
  const child = spawn('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const said = await text(child.stdout)
  const [status, signal] = await exited
  if (status !== 0)
    throw new Error(`wrk: ${describeFailure({ ended: describeEnd(status, signal), output: said })}`)
  const calls = Number(/(\d+) requests in/.exec(said)?.[1])
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(said)?.[1])
  if (!calls || /Non-2xx|Socket errors/.test(said)) throw new Error(said)
  return { calls, perSecond }
}
