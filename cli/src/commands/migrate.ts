import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatCount } from '../format.ts'
import { migrateService, readServiceConfig } from '../service.ts'

export function addMigrate(program: ChanceryCommand) {
  program
    .command('migrate')
    .description('apply the database migrations of this version')
    .prints(migrate)
    .details(`
Examples:
  CHANCERY_DATABASE_URL=postgres://owner@db/chancery chancery migrate`)
}

async function migrate({ terminal }: Context): Promise<Result> {
  const applied = await migrateService(await readServiceConfig(terminal.env, {}))
  const text =
    applied.length === 0
      ? 'the database is up to date'
      : `${formatCount(applied.length, 'migration')} applied\n${applied.map(name => `  ${name}`).join('\n')}`
  return [{ applied }, text]
}
