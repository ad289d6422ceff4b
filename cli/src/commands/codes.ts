import { operatorOperations } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'

export function addCodes(program: ChanceryCommand) {
  const codes = program.command('codes').description('issue verification codes')
  codes
    .command('issue')
    .description('issue a code that proves on a chat platform which nation a player leads')
    .requiredOption('--nation <id>', 'the nation')
    .option('--for <chat-account>', 'the only chat account that may redeem it')
    .prints(issueCode)
    .details(`
The code works once, for 10 minutes. A bot redeems it with GET /api/v1/discord/verify/CODE.

Examples:
  chancery codes issue --nation n42
  chancery codes issue --nation n42 --for 80351110224678912 --json`)
}

interface IssueOptions {
  nation: string
  for?: string
}

async function issueCode({ call }: Context, { nation, for: account }: IssueOptions): Promise<Result> {
  const body = { nation_id: nation, for: account }
  const issued = await call(operatorOperations.codesIssue, { body })
  return [issued, `${issued.code}\n\nIt works once, until ${issued.expires_at}.`]
}
