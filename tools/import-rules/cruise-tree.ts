import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { cruiseOptions } from '../../.dependency-cruiser.ts'

/** An import that breaks a rule. */
interface Violation {
  rule: string
  from: string
  to: string
}

export interface Cruise {
  /** Paths of the modules of ours that were read. */
  modules: string[]
  /** How many imports were seen in them. */
  edges: number
  violations: Violation[]
}

const workspaces = [
  'contract',
  'server',
  'client',
  'portal',
  'simulator',
  'connect',
  'cli',
  'acceptance',
  'bench',
]
const folders = [...workspaces, 'examples', 'tools']

/** Holds the files of a repository, or of a fixture laid out like it, against the import rules. */
export async function cruiseTree(root: string): Promise<Cruise> {
  const { output } = await cruise(
    folders.filter(folder => existsSync(join(root, folder))),
    { ...cruiseOptions, baseDir: root },
  )
  if (typeof output === 'string') throw new Error(`dependency-cruiser returned text: ${output}`)
  return {
    modules: modulesOf(output),
    edges: output.summary.totalDependenciesCruised ?? 0,
    violations: output.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  }
}

function modulesOf({ modules }: ICruiseResult): string[] {
  return modules
    .filter(
      module => !module.coreModule && !module.couldNotResolve && !/(^|\/)node_modules\//.test(module.source),
    )
    .map(module => module.source)
    .filter(source => !source.startsWith('..'))
}
