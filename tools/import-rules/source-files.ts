import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The TypeScript files of a repository's folders, as git knows them: kept, or new and not ignored. */
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
    .filter(file => file.includes('/') && !file.startsWith('tools/import-rules/fixtures/'))
    .filter(file => existsSync(join(root, file)))
}
