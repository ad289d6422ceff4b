import { operatorOperations } from '@chancery/contract'
import type { Command } from 'commander'
import { formatSecond } from '../format.ts'
import { openOperatorClient } from '../operator-client/operator-client.ts'
import { table } from '../table.ts'
import { print, type Terminal } from '../terminal.ts'

export function addRequest(program: Command, terminal: Terminal) {
  program
    .command('request')
    .description('look up a request by its request id')
    .argument('<request-id>', 'the header x-request-id, or request_id of an error')
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: { json: boolean }) => showRequest(id, options, terminal))
    .addHelpText(
      'after',
      `
The request log keeps requests with a key for 7 days, and others for 48 hours. Under high load, and for a
key that exceeds its limit, it is sampled. Times are UTC.

Examples:
  chancery request req_8f2c61d09ab37e45
  chancery request req_8f2c61d09ab37e45 --json`,
    )
}

const none = '-'

async function showRequest(id: string, { json }: { json: boolean }, terminal: Terminal) {
  const client = await openOperatorClient(terminal.env)
  const requests = await client.call(operatorOperations.requestsGet, { id })
  const head = ['TIME', 'OPERATION', 'STATUS', 'TOOK', 'KEY', 'NAME', 'PLAYER', 'ADDRESS']
  const rows = requests.data.map(request => [
    formatSecond(request.at),
    request.operation,
    String(request.status),
    `${request.duration_ms.toFixed(1)} ms`,
    request.key_id ?? none,
    request.key_name ?? none,
    request.player_id ?? none,
    request.address ?? none,
  ])
  print(terminal, json, requests, table([head, ...rows]))
}
