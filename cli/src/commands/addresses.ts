import type { Command } from 'commander'
import { readBusyAddresses } from '../door/call-record.ts'
import { findDoor } from '../door/environment.ts'
import { openDoor } from '../door/operator-door.ts'
import { grouped } from '../numbers.ts'
import { table } from '../table.ts'
import { print, type Terminal } from '../terminal.ts'
import { type TopOptions, topPath, withTopOptions } from '../top-options.ts'

/** Addresses are forgotten within 48 hours. */
const hoursMax = 47

export function addAddresses(program: Command, terminal: Terminal) {
  const addresses = program.command('addresses').description('see who calls without a key')
  withTopOptions(addresses.command('top').description('list the addresses that call most'), hoursMax)
    .action((options: TopOptions) => listBusyAddresses(options, terminal))
    .addHelpText(
      'after',
      `
Calls without a valid key, by IPv4 address or IPv6 /64. LIMITED were refused with 429; WRONG KEY with 401,
for a key that is none or that is missing: many of them are somebody who guesses, or a bot whose key was
revoked. Addresses are forgotten within 48 hours.

Examples:
  chancery addresses top
  chancery addresses top --hours 1 --json`,
    )
}

async function listBusyAddresses(options: TopOptions, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const answer = await door.call('GET', topPath('/usage/addresses', options))
  const rows = readBusyAddresses(answer).map(({ address, calls, limited, refused }) => [
    address,
    ...[calls, limited, refused].map(grouped),
  ])
  const head = ['ADDRESS', 'CALLS', 'LIMITED', 'WRONG KEY']
  print(terminal, options.json, answer, rows.length > 0 ? table([head, ...rows]) : 'no calls without a key')
}
