import { type Landing, landings, operatorOperations } from '@chancery/contract'
import { type Command, Option } from 'commander'
import { openOperatorClient } from '../operator-client/operator-client.ts'
import { type Owner, requiredOwnerOf } from '../options.ts'
import { print, type Terminal } from '../terminal.ts'

export function addHandover(program: Command, terminal: Terminal) {
  program
    .command('handover')
    .description('create a link that signs a player in to the developer settings')
    .option('--nation <id>', 'the leader of this nation')
    .option('--player <id>', 'this player')
    .addOption(new Option('--landing <page>', 'the page it opens (default: verify)').choices([...landings]))
    .option('--json', 'print one JSON document', false)
    .action((options: HandoverOptions) => createHandover(options, terminal))
    .addHelpText(
      'after',
      `
The link works once, for one minute. It signs in any browser that opens it: give it to nobody but the player.

Examples:
  chancery handover --nation n42
  chancery handover --player p7 --landing keys --json`,
    )
}

interface HandoverOptions extends Owner {
  landing?: Landing
  json: boolean
}

async function createHandover({ landing, json, ...owner }: HandoverOptions, terminal: Terminal) {
  const body = { ...requiredOwnerOf(owner, 'link'), landing }
  const client = await openOperatorClient(terminal.env)
  const link = await client.call(operatorOperations.handoversCreate, { body })
  print(terminal, json, link, `${link.url}\n\nIt works once, until ${link.expires_at}.`)
}
