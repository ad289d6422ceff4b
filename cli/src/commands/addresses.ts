import { operatorOperations } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatMinute, formatNumber } from '../format.ts'
import { integer, type TopOptions, withTopOptions } from '../options.ts'
import { listText } from '../table.ts'
import { firstLine } from '../untrusted-text.ts'

/** Addresses are deleted within 48 hours. */
const hoursMax = 47

export function addAddresses(program: ChanceryCommand) {
  const addresses = program
    .command('addresses')
    .description('show, block and allow addresses that send requests without a valid key')
  addresses
    .command('list')
    .description('list blocked and allowed addresses')
    .prints(listLimits)
    .details('\nExamples:\n  chancery addresses list')
  addresses
    .command('block')
    .description('reject requests from addresses without a valid key, for a time')
    .argument('<address>', 'an address, or a range such as 203.0.113.0/24')
    .option('--hours <n>', 'for how long', integer(1, 2_160), hoursDefault)
    .option('--note <text>', 'the reason, for other operators')
    .prints(blockAddress)
    .details(`
Requests get 429, also those for pages. A valid key works from a blocked address: revoke the key, or suspend its
player.

Examples:
  chancery addresses block 203.0.113.9
  chancery addresses block 2001:db8:7::/48 --hours 168 --note "guesses codes, see ticket 4712"`)
  addresses
    .command('allow')
    .description('give addresses a higher limit without a key, for a time')
    .argument('<address>', 'an address, or a range such as 203.0.113.0/24')
    .option('--limit <n>', 'requests per minute', integer(1, 1_000_000), allowedDefault)
    .option('--hours <n>', 'for how long', integer(1, 2_160), hoursDefault)
    .option('--note <text>', 'the reason, for other operators')
    .prints(allowAddress)
    .details(
      '\nExamples:\n  chancery addresses allow 198.51.100.20 --limit 6000 --hours 720 --note "our web site"',
    )
  addresses
    .command('remove')
    .description('end a block or a higher limit')
    .argument('<address>', 'as in the list')
    .prints(removeLimit)
    .details('\nExamples:\n  chancery addresses remove 203.0.113.9')
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

const hoursDefault = 24
const allowedDefault = 6_000

interface LimitOptions {
  hours: number
  note?: string
}

const setLimit = async (
  { call }: Context,
  id: string,
  limit: number,
  { hours, note = null }: { hours: number; note?: string | null },
) => {
  const expires_at = new Date(Date.now() + hours * 3_600_000).toISOString()
  return call(operatorOperations.addressesSetLimit, { id, body: { limit, expires_at, note } })
}

async function blockAddress(context: Context, address: string, options: LimitOptions): Promise<Result> {
  const set = await setLimit(context, address, 0, options)
  return [set, `${set.address} is blocked until ${formatMinute(set.expires_at)} (UTC); keys still work`]
}

async function allowAddress(
  context: Context,
  address: string,
  { limit, ...options }: LimitOptions & { limit: number },
): Promise<Result> {
  const set = await setLimit(context, address, limit, options)
  return [
    set,
    `${set.address} may make ${formatNumber(limit)} requests a minute until ${formatMinute(set.expires_at)} (UTC)`,
  ]
}

async function removeLimit({ call }: Context, id: string): Promise<Result> {
  const removed = await call(operatorOperations.addressesRemoveLimit, { id })
  return [removed, `${removed.address} has the default limit again`]
}

async function listLimits({ call }: Context): Promise<Result> {
  const found = await call(operatorOperations.addressesList)
  const rows = found.data.map(({ address, limit, expires_at, note }) => [
    address,
    limit === 0 ? 'blocked' : formatNumber(limit),
    formatMinute(expires_at),
    note === null ? '-' : firstLine(note, 60),
  ])
  return [found, listText(['ADDRESS', 'LIMIT', 'UNTIL', 'NOTE'], rows, 'no limits of addresses')]
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
