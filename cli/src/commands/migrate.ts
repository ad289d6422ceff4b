import type { Command } from 'commander'
import { formatCount } from '../format.ts'
import { migrateService, readServiceConfig } from '../service.ts'
import { print, type Terminal } from '../terminal.ts'

export function addMigrate(program: Command, terminal: Terminal) {
  program
    .command('migrate')
    .description('apply the database migrations of this version')
    .option('--json', 'print one JSON document', false)
    .action(({ json }: { json: boolean }) => migrate(json, terminal))
    .addHelpText(
      'after',
      `
Examples:
  CHANCERY_DATABASE_URL=postgres://owner@db/chancery chancery migrate`,
    )
}

async function migrate(json: boolean, terminal: Terminal) {
  const applied = await migrateService(await readServiceConfig(terminal.env, {}))
  const text =
    applied.length === 0
      ? 'the database is up to date'
      : `${formatCount(applied.length, 'migration')} applied\n${applied.map(name => `  ${name}`).join('\n')}`
  print(terminal, json, { applied }, text)
}
