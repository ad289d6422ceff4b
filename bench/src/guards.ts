import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ask } from './ask.ts'
import { serveOn } from './contestants/chancery.ts'
import { type ClockSpan, clockMicroseconds, sharesOfBusyTime } from './profile.ts'
import type { GuardShare } from './report/results.ts'
import { runWrk } from './wrk.ts'

/** What guards the door, by where it is written. Names of folders and files under server/src. */
const guards: [name: string, place: RegExp][] = [
  ['keys', /\/server\/src\/access\//],
  ['limits', /\/server\/src\/limits\//],
  [
    'journal and metrics',
    /\/server\/src\/(journal|telemetry)\/|\/server\/src\/http\/observe\.ts$|\/@prometheus-io\/client\//,
  ],
  ['request id', /\/server\/src\/http\/request-id\.ts$/],
  ['edge: who calls, what is left, its headers', /\/server\/src\/http\/(edge|cors)\.ts$/],
]

/**
 * Where Fastify goes on with a call after a guard has let it pass: what runs below is no guard's work, though a guard called it.
 * Everything else that a guard calls works for it.
 */
const goingOn = /\/fastify\/lib\/(hooks|route|handle-?[rR]equest|wrap-?[tT]henable)\.js$/
const service = /\/server\/src\//

const warmUpSeconds = 3

/** What a function works for; undefined: for the same as its caller. */
function nameOf(url: string): string | undefined {
  const guard = guards.find(([, place]) => place.test(url))
  if (guard) return guard[0]
  if (goingOn.test(url)) return 'Fastify'
  return service.test(url) ? 'the answer' : undefined
}

/** Asks a service of its own for one remembered body, over and over, and reads from a profile what its guards took. */
export async function measureGuards(order: {
  databaseUrl: string
  asks: readonly Ask[]
  connections: number
  seconds: number
}): Promise<GuardShare> {
  const directory = await mkdtemp(join(tmpdir(), 'chancery-bench-'))
  const served = await serveOn({
    databaseUrl: order.databaseUrl,
    env: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${directory}` },
  })
  const load = { url: served.publicUrl, asks: order.asks, connections: order.connections }
  let span: ClockSpan
  try {
    await runWrk({ ...load, seconds: warmUpSeconds })
    // What it takes to start, and to become fast, is not what a call takes.
    const begin = clockMicroseconds()
    await runWrk({ ...load, seconds: order.seconds })
    span = { begin, end: clockMicroseconds() }
  } finally {
    await served.close()
  }
  const shares = await sharesOfBusyTime(directory, span, nameOf)
  await rm(directory, { recursive: true })
  const names = guards.map(([name]) => name)
  const parts = [...shares]
    .map(([name, share]) => ({ name, share, isGuard: names.includes(name) }))
    .sort((one, other) => other.share - one.share)
  return { all: parts.reduce((sum, { share, isGuard }) => sum + (isGuard ? share : 0), 0), parts }
}
