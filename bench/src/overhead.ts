/** What a request costs inside the service: shares of its busy time, from a V8 profile of a cached response requested over and over. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type LoadOptions, runWrk } from './load.ts'
import { sum } from './machine.ts'
import { removeDirectory, startService, temporaryDirectory } from './servers.ts'

/** Times are in microseconds of the monotonic clock, which all processes share. */
interface CpuProfile {
  startTime: number
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/**
 * Shares of a process's busy time by part, from the profiles that `--cpu-prof` left in a directory: those of the process that was
 * busiest since `begin`. `partOf` names the part that a source file belongs to; undefined means the part of the caller.
 */
export async function sharesOfBusyTime(
  directory: string,
  begin: number,
  partOf: (url: string) => string | undefined,
): Promise<Map<string, number>> {
  const files = (await readdir(directory)).map(name => readFile(join(directory, name), 'utf8'))
  const profiles = (await Promise.all(files)).map(text => timesOf(JSON.parse(text), begin, partOf))
  const busyOf = (times: Map<string, number>) => sum([...times.values()])
  const [busiest] = profiles.sort((one, other) => busyOf(other) - busyOf(one))
  if (!busiest) throw new Error('the service wrote no profile')
  return new Map([...busiest].map(([name, time]) => [name, time / busyOf(busiest)]))
}

function timesOf(
  { startTime, nodes, samples, timeDeltas }: CpuProfile,
  begin: number,
  partOf: (url: string) => string | undefined,
): Map<string, number> {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parts = new Map<number, string>()
  const visit = (id: number, callerPart: string): void => {
    const { callFrame, children = [] } = byId.get(id) ?? {}
    const part = partOf(callFrame?.url ?? '') ?? callerPart
    parts.set(id, part)
    for (const child of children) visit(child, part)
  }
  // Frames without a source file of ours: HTTP and garbage collection.
  visit(nodes[0]?.id ?? 0, 'Node')
  const times = new Map<string, number>()
  let at = startTime
  for (const [index, id] of samples.entries()) {
    const took = timeDeltas[index] ?? 0
    at += took
    if (at < begin || byId.get(id)?.callFrame.functionName === '(idle)') continue
    const part = parts.get(id) ?? 'Node'
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
    /\/server\/src\/(request-log|telemetry)\/|\/request-metrics\.ts$|\/@prometheus-io\/client\//,
  ],
  ['request id', /\/server\/src\/http\/request-id\.ts$/],
  ['admission and rate headers', /\/server\/src\/http\/(admission|cors)\.ts$/],
]

/** Where Fastify continues after a hook: what runs below is not the hook's work, though the hook called it. */
const continuation = /\/fastify\/lib\/(hooks|route|handle-?[rR]equest|wrap-?[tT]henable)\.js$/

export function partOf(url: string): string | undefined {
  const overhead = overheads.find(([, place]) => place.test(url))
  if (overhead) return overhead[0]
  if (continuation.test(url)) return 'Fastify'
  return /\/server\/src\//.test(url) ? 'response' : undefined
}

/** Not the bundle: a profile names the files that ran. */
const sources = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url))

export async function profileOverhead({
  databaseUrl,
  ...options
}: Omit<LoadOptions, 'url'> & { databaseUrl: string }) {
  const directory = await temporaryDirectory()
  // As the launcher of production sets them.
  const flags = '--max-semi-space-size=16 --max-old-space-size=1024'
  const profiling = { NODE_OPTIONS: `${flags} --cpu-prof --cpu-prof-dir=${directory}` }
  const service = await startService({ CHANCERY_DATABASE_URL: databaseUrl, ...profiling }, 'server', sources)
  const load = { ...options, url: service.publicUrl, side: 'load' } as const
  await runWrk({ ...load, seconds: 3 })
  // Startup and warm-up are not part of what a request costs.
  const begin = Number(process.hrtime.bigint() / 1000n)
  await runWrk(load)
  await service.close()
  const shares = await sharesOfBusyTime(directory, begin, partOf)
  await removeDirectory(directory)
  const parts = [...shares]
    .map(([name, share]) => ({ name, share, isOverhead: overheads.some(([overhead]) => overhead === name) }))
    .sort((one, other) => other.share - one.share)
  if (!parts.some(({ isOverhead }) => isOverhead))
    throw new Error('the profile names no source of an overhead')
  // The total of all overheads, and the parts, the largest first.
  return { total: sum(parts.map(({ share, isOverhead }) => (isOverhead ? share : 0))), parts }
}
