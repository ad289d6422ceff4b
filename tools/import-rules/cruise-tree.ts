import { execFileSync } from 'node:child_process'
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
  /** Paths of the modules that were read. */
  modules: string[]
  /** The number of their imports. */
  edges: number
  violations: Violation[]
}

const workspaces = [
  'contract',
  'server',
  'client',
  'game',
  'portal',
  'simulator',
  'connect',
  'cli',
  'acceptance',
  'bench',
]
const folders = [...workspaces, 'examples', 'tools']

/** Checks the import rules in a repository, or in a fixture of the same layout. */
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

/** The TypeScript files in the folders of the repository, tracked or new. */
export function sourceFiles(root: string): string[] {
  const list = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '*.ts', '*.tsx'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  return list
    .split('\0')
    .filter(file => file.includes('/'))
    .filter(file => existsSync(join(root, file)))
}
