import { join } from 'node:path'
import { parseFile } from '@swc/core'
import type { Violation } from './violation.ts'

export const clientRule = 'client-imports-nothing-of-ours-at-run-time'

/** dependency-cruiser's swc reader does not tell an import of types from one that is there at run time: this does. */
export async function clientViolations(root: string, modules: string[]): Promise<Violation[]> {
  const files = modules.filter(module => module.startsWith('client/src/'))
  const violations = await Promise.all(
    files.map(async from =>
      (await runTimeImports(join(root, from)))
        .filter(to => to.startsWith('@chancery/') || join(from, '..', to).split('/')[0] !== 'client')
        .map(to => ({ rule: clientRule, from, to })),
    ),
  )
  return violations.flat()
}

/** Workspace packages and files; other packages may be used. */
async function runTimeImports(path: string): Promise<string[]> {
  const { body } = await parseFile(path, { syntax: 'typescript', tsx: path.endsWith('x') })
  const sources = body.flatMap(item => {
    switch (item.type) {
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
        return item.source && !item.typeOnly ? [item.source.value] : []
      case 'ExportAllDeclaration':
        return [item.source.value]
      default:
        return []
    }
  })
  return sources.filter(source => /^(@chancery\/|\.)/.test(source))
}
