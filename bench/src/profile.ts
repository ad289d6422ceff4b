import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Frame {
  functionName: string
  url: string
}

interface Node {
  id: number
  callFrame: Frame
  children?: number[]
}

interface CpuProfile {
  /** In microseconds of the system's monotonic clock, which all processes share. */
  startTime: number
  nodes: Node[]
  samples: number[]
  timeDeltas: number[]
}

/** A span of the system's monotonic clock, in microseconds. */
export interface ClockSpan {
  begin: number
  end: number
}

/** The clock of profiles. */
export const clockMicroseconds = (): number => Number(process.hrtime.bigint() / 1000n)

/**
 * Divides the busy time of a process by what it was spent on, from the profiles that `--cpu-prof` left in a directory: that of the
 * process which was busiest in the span. `nameOf` names what a function works for; undefined: for the same as its caller. Returns
 * shares.
 */
export async function sharesOfBusyTime(
  directory: string,
  span: ClockSpan,
  nameOf: (url: string) => string | undefined,
): Promise<Map<string, number>> {
  const names = await readdir(directory)
  const times = await Promise.all(
    names.map(async name =>
      timesOf(JSON.parse(await readFile(join(directory, name), 'utf8')) as CpuProfile, span, nameOf),
    ),
  )
  const [busiest] = times.sort((one, other) => sumOf(other) - sumOf(one))
  if (!busiest) throw new Error('the service left no profile')
  const busy = sumOf(busiest)
  return new Map([...busiest].map(([name, time]) => [name, time / busy]))
}

const sumOf = (times: Map<string, number>) => [...times.values()].reduce((sum, time) => sum + time, 0)

/** What nobody's function was at work for: reading and writing HTTP, and collecting garbage. */
const ofNode = 'Node'

function timesOf(
  { startTime, nodes, samples, timeDeltas }: CpuProfile,
  { begin, end }: ClockSpan,
  nameOf: (url: string) => string | undefined,
): Map<string, number> {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const owners = new Map<number, string>()
  const visit = (id: number, callersOwner: string): void => {
    const node = byId.get(id)
    if (!node) return
    const owner = nameOf(node.callFrame.url) ?? callersOwner
    owners.set(id, owner)
    for (const child of node.children ?? []) visit(child, owner)
  }
  const [root] = nodes
  if (root) visit(root.id, ofNode)
  const times = new Map<string, number>()
  let at = startTime
  for (const [index, id] of samples.entries()) {
    const took = timeDeltas[index] ?? 0
    at += took
    if (at < begin || at > end || byId.get(id)?.callFrame.functionName === '(idle)') continue
    const owner = owners.get(id) ?? ofNode
    times.set(owner, (times.get(owner) ?? 0) + took)
  }
  return times
}
