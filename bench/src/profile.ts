/** What a request costs inside the service: shares of its busy time, from a V8 profile of a cached response requested over and over. */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchRequest, runWrk } from './load.ts'
import { startService, temporaryDirectory } from './servers.ts'

interface ProfileNode {
  id: number
  callFrame: { functionName: string; url: string }
  children?: number[]
}

interface CpuProfile {
  /** In microseconds of the monotonic clock, which all processes share. */
  startTime: number
  nodes: ProfileNode[]
  samples: number[]
  timeDeltas: number[]
}

/** Microseconds of the monotonic clock. */
interface ClockSpan {
  begin: number
  end: number
}

const clockMicroseconds = (): number => Number(process.hrtime.bigint() / 1000n)

/**
 * Shares of a process's busy time by part, from the profiles that `--cpu-prof` left in a directory: those of the process that was
 * busiest in the span. `partOf` names the part that a source file belongs to; undefined means the part of the caller.
 */
export async function sharesOfBusyTime(
  directory: string,
  span: ClockSpan,
  partOf: (url: string) => string | undefined,
): Promise<Map<string, number>> {
  const names = await readdir(directory)
  const profiles = await Promise.all(
    names.map(async name => JSON.parse(await readFile(join(directory, name), 'utf8')) as CpuProfile),
  )
  const [busiest] = profiles
    .map(profile => timesOf(profile, span, partOf))
    .sort((one, other) => sumOf(other) - sumOf(one))
  if (!busiest) throw new Error('the service wrote no profile')
  const busy = sumOf(busiest)
  return new Map([...busiest].map(([name, time]) => [name, time / busy]))
}

const sumOf = (times: Map<string, number>) => [...times.values()].reduce((sum, time) => sum + time, 0)

/** Frames without a source file of ours: HTTP and garbage collection. */
const nodePart = 'Node'

function timesOf(
  { startTime, nodes, samples, timeDeltas }: CpuProfile,
  { begin, end }: ClockSpan,
  partOf: (url: string) => string | undefined,
): Map<string, number> {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parts = new Map<number, string>()
  const visit = (id: number, callerPart: string): void => {
    const node = byId.get(id)
    if (!node) return
    const part = partOf(node.callFrame.url) ?? callerPart
    parts.set(id, part)
    for (const child of node.children ?? []) visit(child, part)
  }
  const [root] = nodes
  if (root) visit(root.id, nodePart)
  const times = new Map<string, number>()
  let at = startTime
  for (const [index, id] of samples.entries()) {
    const took = timeDeltas[index] ?? 0
    at += took
    if (at < begin || at > end || byId.get(id)?.callFrame.functionName === '(idle)') continue
    const part = parts.get(id) ?? nodePart
    times.set(part, (times.get(part) ?? 0) + took)
  }
  return times
}

/** Everything that runs for each request besides making the response, by source file below server/src. */
const overheads: [name: string, place: RegExp][] = [
  ['keys', /\/server\/src\/access\//],
  ['limits', /\/server\/src\/limits\//],
  [
    'request log and metrics',
    /\/server\/src\/(journal|telemetry)\/|\/(observe|request-metrics)\.ts$|\/@prometheus-io\/client\//,
  ],
  ['request id', /\/server\/src\/http\/request-id\.ts$/],
  ['admission and rate headers', /\/server\/src\/http\/(admission|edge|cors)\.ts$/],
]

/** Where Fastify continues after a hook: what runs below is not the hook's work, though the hook called it. */
const continuation = /\/fastify\/lib\/(hooks|route|handle-?[rR]equest|wrap-?[tT]henable)\.js$/

export function partOf(url: string): string | undefined {
  const overhead = overheads.find(([, place]) => place.test(url))
  if (overhead) return overhead[0]
  if (continuation.test(url)) return 'Fastify'
  return /\/server\/src\//.test(url) ? 'response' : undefined
}

export interface OverheadShares {
  /** Of all overheads together. */
  total: number
  /** The largest first. */
  parts: { name: string; share: number; isOverhead: boolean }[]
}

export async function profileOverhead(options: {
  databaseUrl: string
  requests: readonly BenchRequest[]
  connections: number
  seconds: number
}): Promise<OverheadShares> {
  const directory = await temporaryDirectory()
  const service = await startService(
    {
      CHANCERY_DATABASE_URL: options.databaseUrl,
      NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${directory}`,
    },
    'server',
  )
  const load = { ...options, url: service.publicUrl, side: 'load' } as const
  await runWrk({ ...load, seconds: 3 })
  // Startup and warm-up are not part of what a request costs.
  const begin = clockMicroseconds()
  await runWrk(load)
  const span = { begin, end: clockMicroseconds() }
  await service.close()
  const shares = await sharesOfBusyTime(directory, span, partOf)
  await rm(directory, { recursive: true })
  const names = overheads.map(([name]) => name)
  const parts = [...shares]
    .map(([name, share]) => ({ name, share, isOverhead: names.includes(name) }))
    .sort((one, other) => other.share - one.share)
  return {
    total: sumOf(new Map(parts.filter(part => part.isOverhead).map(part => [part.name, part.share]))),
    parts,
  }
}
