import { operatorOperations } from '@chancery/contract'
import type { Command } from 'commander'
import { openOperatorClient } from '../operator-client/operator-client.ts'
import { print, type Terminal } from '../terminal.ts'

export function addCodes(program: Command, terminal: Terminal) {
  const codes = program.command('codes').description('issue verification codes')
  codes
    .command('issue')
    .description('issue a code that proves on a chat platform which nation a player leads')
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
  const client = await openOperatorClient(terminal.env)
  const body = { nation_id: nation, for: account }
  const issued = await client.call(operatorOperations.codesIssue, { body })
  print(terminal, json, issued, `${issued.code}\n\nIt works once, until ${issued.expires_at}.`)
}
