import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/**
 * The share of a process's busy time that was spent in functions of some files and in what those called, read from the
 * profiles that `--cpu-prof` left in a directory: the one of the process that was busiest.
 */
export async function profiledShare(
  directory: string,
  isOfInterest: (url: string) => boolean,
): Promise<number> {
  const names = await readdir(directory)
  const profiles = await Promise.all(
    names.map(async name => JSON.parse(await readFile(join(directory, name), 'utf8')) as CpuProfile),
  )
  const [busiest] = profiles
    .map(profile => timesOf(profile, isOfInterest))
    .sort((one, other) => other.busy - one.busy)
  if (!busiest) throw new Error('the service left no profile')
  return busiest.within / busiest.busy
}

function timesOf(
  { nodes, samples, timeDeltas }: CpuProfile,
  isOfInterest: (url: string) => boolean,
): { busy: number; within: number } {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const inside = new Set<number>()
  const idle = new Set<number>()
  const visit = (id: number, isInside: boolean): void => {
    const node = byId.get(id)
    if (!node) return
    const isIn = isInside || isOfInterest(node.callFrame.url)
    if (isIn) inside.add(id)
    if (node.callFrame.functionName === '(idle)') idle.add(id)
    for (const child of node.children ?? []) visit(child, isIn)
  }
  const [root] = nodes
  if (root) visit(root.id, false)
  let busy = 0
  let within = 0
  for (const [index, id] of samples.entries()) {
    const took = timeDeltas[index] ?? 0
    if (!idle.has(id)) busy += took
    if (inside.has(id)) within += took
  }
  return { busy, within }
}
