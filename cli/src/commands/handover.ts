import { type Landing, landings } from '@chancery/contract'
import { type Command, Option } from 'commander'
import { findDoor } from '../door/environment.ts'
import { membersOf } from '../door/members.ts'
import { openDoor } from '../door/operator-door.ts'
import { type Owner, requiredOwnerOf } from '../owner.ts'
import { print, type Terminal } from '../terminal.ts'

export function addHandover(program: Command, terminal: Terminal) {
  program
    .command('handover')
    .description('make a link by which a player signs in to the developer settings')
    .option('--nation <id>', 'for the player whose nation this is')
    .option('--player <id>', 'for this player')
    .addOption(new Option('--landing <page>', 'where it leads (default: verify)').choices([...landings]))
    .option('--json', 'print one JSON document', false)
    .action((options: HandoverOptions) => makeHandover(options, terminal))
    .addHelpText(
      'after',
      `
The link works once, for one minute. Whoever opens it is that player: give it to nobody else.

Examples:
  chancery handover --nation n42
  chancery handover --player p7 --landing keys --json`,
    )
}

interface HandoverOptions extends Owner {
  landing?: Landing
  json: boolean
}

async function makeHandover({ landing, json, ...owner }: HandoverOptions, terminal: Terminal) {
  const wanted = { ...requiredOwnerOf(owner, 'link'), landing }
  const door = openDoor(await findDoor(terminal.env))
  const { text } = membersOf(await door.call('POST', '/handovers', wanted), 'a hand-over link')
  const document = { url: text('url'), expires_at: text('expires_at') }
  print(terminal, json, document, `${document.url}\n\nIt works once, until ${document.expires_at}.`)
}
