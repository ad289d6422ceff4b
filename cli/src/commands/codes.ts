import type { Command } from 'commander'
import { CommandError } from '../command-error.ts'
import { findDoor } from '../door/environment.ts'
import { openDoor } from '../door/operator-door.ts'
import { isRecord } from '../record.ts'
import { print, type Terminal } from '../terminal.ts'

export function addCodes(program: Command, terminal: Terminal) {
  const codes = program.command('codes').description('make verification codes')
  codes
    .command('issue')
    .description('make a code by which a player proves on a chat platform which nation is theirs')
    .requiredOption('--nation <id>', 'the nation')
    .option('--for <chat-account>', 'the only chat account that may redeem it')
    .option('--json', 'print one JSON document', false)
    .action((options: IssueOptions) => issueCode(options, terminal))
    .addHelpText(
      'after',
      `
The code works once, for 10 minutes. A bot redeems it with GET /api/v1/discord/verify/CODE.

Examples:
  chancery codes issue --nation n42
  chancery codes issue --nation n42 --for 80351110224678912 --json`,
    )
}

interface IssueOptions {
  nation: string
  for?: string
  json: boolean
}

async function issueCode({ nation, for: account, json }: IssueOptions, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const answer = await door.call('POST', '/codes', { nation_id: nation, for: account })
  if (!isRecord(answer) || typeof answer.code !== 'string')
    throw new CommandError('the service answered without a code: is it a Chancery of this version?')
  const { code, expires_at: expiresAt } = answer
  print(terminal, json, { code, expires_at: expiresAt }, `${code}\n\nIt works once, until ${expiresAt}.`)
}
