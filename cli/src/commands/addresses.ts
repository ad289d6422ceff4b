import { operatorOperations } from '@chancery/contract'
import type { Command } from 'commander'
import { formatNumber } from '../format.ts'
import { openOperatorClient } from '../operator-client/operator-client.ts'
import { type TopOptions, withTopOptions } from '../options.ts'
import { table } from '../table.ts'
import { print, type Terminal } from '../terminal.ts'

/** Addresses are deleted within 48 hours. */
const hoursMax = 47

export function addAddresses(program: Command, terminal: Terminal) {
  const addresses = program.command('addresses').description('show callers without a key')
  withTopOptions(addresses.command('top').description('list the addresses with the most requests'), hoursMax)
    .action((options: TopOptions) => listBusyAddresses(options, terminal))
    .addHelpText(
      'after',
      `
Requests without a valid key, by IPv4 address or IPv6 /64. LIMITED got 429 (rate limit). WRONG KEY got 401
(invalid or missing key): many of them are an attempt to guess keys, or a bot whose key was revoked.
Addresses are deleted within 48 hours.

Examples:
  chancery addresses top
  chancery addresses top --hours 1 --json`,
    )
}

async function listBusyAddresses({ hours, limit, json }: TopOptions, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const usage = await client.call(operatorOperations.usageAddresses, { query: { hours, limit } })
  const rows = usage.data.map(({ address, calls, limited, refused }) => [
    address,
    ...[calls, limited, refused].map(formatNumber),
  ])
  const head = ['ADDRESS', 'CALLS', 'LIMITED', 'WRONG KEY']
  print(terminal, json, usage, rows.length > 0 ? table([head, ...rows]) : 'no requests without a key')
}
