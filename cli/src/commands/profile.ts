import {
  contractFor,
  demoProfile,
  factTypes,
  operatorOperations,
  type Profile,
  profileJsonSchema,
  type ResponseOf,
} from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatCount } from '../format.ts'
import { readProfile } from '../game-profile.ts'
import { NoServiceError } from '../operator-client/operator-address.ts'
import { ServiceUnavailableError } from '../operator-client/operator-client.ts'
import { compareProfile, readServiceConfig } from '../service.ts'
import { print } from '../terminal.ts'

export function addProfile(program: ChanceryCommand) {
  const { terminal } = program
  const profile = program
    .command('profile')
    .description('check and print game profiles: the terms of a game, as a file')
  profile
    .command('check')
    .description('validate a profile, or show what would change with it')
    .argument('<file>', 'the profile')
    .option(
      '--against-database',
      'compare it with the profile that the database was last served with, and with the stored data; changes nothing',
      false,
    )
    .prints(check)
    .details(`
Exit status 1: the service would reject it. The database is that of CHANCERY_DATABASE_URL; without it that of
the running service, and if none runs the bundled one of CHANCERY_DATA_DIR.

Examples:
  chancery profile check game.json
  chancery profile check game.json --against-database`)
  profile
    .command('stored')
    .description('print the profile with which the database of the running service was served last')
    .prints(stored)
    .details(`
Examples:
  chancery profile stored > game.json`)
  profile
    .command('example')
    .description('print the profile of the demo game, as a starting point')
    .action(() => print(terminal, true, demoProfile, ''))
    .details(`
Examples:
  chancery profile example > game.json`)
  profile
    .command('schema')
    .description('print the JSON Schema of profiles')
    .action(() => print(terminal, true, profileJsonSchema(), ''))
    .details(`
Examples:
  chancery profile schema > game-profile.schema.json`)
  profile
    .command('types')
    .description('print the facts of a profile as TypeScript types, for @chancery/game')
    .argument('<file>', 'the profile')
    .action(async (file: string) => {
      terminal.output.write(factTypes(contractFor(await readProfile(file))))
    })
    .details(`
Examples:
  chancery profile types game.json > game-facts.ts`)
}

type Comparison = ResponseOf<typeof operatorOperations.profileCompare>

interface CheckOptions {
  againstDatabase: boolean
}

async function stored({ call }: Context): Promise<Result> {
  const { profile } = await call(operatorOperations.profileGet)
  return [profile, JSON.stringify(profile, null, 2)]
}

/** By the running service, unless a database is named or no service runs. */
async function compare({ terminal, call }: Context, profile: Profile): Promise<Comparison> {
  if (!terminal.env.CHANCERY_DATABASE_URL)
    try {
      return await call(operatorOperations.profileCompare, { body: { profile } })
    } catch (err) {
      // Without an address or a token, or not reachable. Others are of the service, which has the database.
      if (!(err instanceof ServiceUnavailableError || err instanceof NoServiceError)) throw err
    }
  const config = await readServiceConfig(terminal.env, {})
  return compareProfile(config, profile)
}

async function check(context: Context, file: string, { againstDatabase }: CheckOptions): Promise<Result> {
  const profile = await readProfile(file)
  if (!againstDatabase) return [{ file, is_in_order: true }, `${file} is a valid profile: ${profile.name}`]
  const { is_first, changes, rejections } = await compare(context, profile)
  const document = { file, is_in_order: rejections.length === 0, is_first, changes, refusals: rejections }
  const text = comparisonText(file, is_first, changes)
  if (rejections.length === 0) return [document, text]
  const lines = rejections.map(rejection => `  ${rejection}`)
  const rejected = `${formatCount(rejections.length, 'change')} rejected\n${lines.join('\n')}`
  return [document, text, `${file}: the database cannot be served with it: ${rejected}`]
}

function comparisonText(file: string, isFirst: boolean, changes: Comparison['changes']): string {
  if (isFirst) return `${file} is a valid profile, and the first one of the database`
  if (changes.length === 0) return `${file} is a valid profile; the database already uses the same terms`
  return [
    `${file} is a valid profile; changes to the profile of the database:`,
    ...changes.map(changeText),
  ].join('\n')
}

const changeText = ({ kind, path, what, renamed_to }: Comparison['changes'][number]) => {
  const detail = what ? ` (${what.name} from ${what.from} to ${what.to})` : ''
  return `  ${kind.padEnd(9)} ${path}${detail}${renamed_to ? ` (now ${renamed_to}?)` : ''}`
}
