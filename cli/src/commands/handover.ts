import { type Landing, landings, operatorOperations } from '@chancery/contract'
import { Option } from 'commander'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { type Owner, requiredOwnerOf } from '../options.ts'

export function addHandover(program: ChanceryCommand) {
  program
    .command('handover')
    .description('create a link that signs a player in to the developer settings')
    .option('--nation <id>', 'the leader of this nation')
    .option('--player <id>', 'this player')
    .addOption(new Option('--landing <page>', 'the page it opens (default: verify)').choices([...landings]))
    .prints(createHandover)
    .details(`
The link works once, for one minute. It signs in any browser that opens it: give it to the player only.

Examples:
  chancery handover --nation n42
  chancery handover --player p7 --landing keys --json`)
}

interface HandoverOptions extends Owner {
  landing?: Landing
}

async function createHandover({ call }: Context, { landing, ...owner }: HandoverOptions): Promise<Result> {
  const body = { ...requiredOwnerOf(owner, 'link'), landing }
  const link = await call(operatorOperations.handoversCreate, { body })
  return [link, `${link.url}\n\nIt works once, until ${link.expires_at}.`]
}
