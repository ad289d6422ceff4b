import { operatorOperations } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatNumber } from '../format.ts'
import { type TopOptions, withTopOptions } from '../options.ts'
import { listText } from '../table.ts'

/** Addresses are deleted within 48 hours. */
const hoursMax = 47

export function addAddresses(program: ChanceryCommand) {
  const addresses = program
    .command('addresses')
    .description('show addresses that send requests without a valid key')
  withTopOptions(addresses.command('top').description('list the addresses with the most requests'), hoursMax)
    .prints(listBusyAddresses)
    .details(`
Requests without a valid key, by IPv4 address or IPv6 /64. LIMITED got 429 (rate limit). WRONG KEY got 401
(invalid or missing key): many of them are an attempt to guess keys, or a bot whose key was revoked.
Addresses are deleted within 48 hours.

Examples:
  chancery addresses top
  chancery addresses top --hours 1 --json`)
}

async function listBusyAddresses({ call }: Context, { hours, limit }: TopOptions): Promise<Result> {
  const usage = await call(operatorOperations.usageAddresses, { query: { hours, limit } })
  const rows = usage.data.map(({ address, calls, limited, refused }) => [
    address,
    ...[calls, limited, refused].map(formatNumber),
  ])
  const head = ['ADDRESS', 'REQUESTS', 'LIMITED', 'WRONG KEY']
  return [usage, listText(head, rows, 'no requests without a valid key')]
}
