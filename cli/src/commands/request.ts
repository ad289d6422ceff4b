import { operatorOperations } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatSecond } from '../format.ts'
import { table } from '../table.ts'

export function addRequest(program: ChanceryCommand) {
  program
    .command('request')
    .description('look up a request by its request id')
    .argument('<request-id>', 'the header x-request-id, or request_id of an error')
    .prints(showRequest)
    .details(`
The request log keeps requests with a key for 7 days, and others for 48 hours. Under high load, and for a
key that exceeds its limit, it is sampled. Times are UTC.

Examples:
  chancery request req_8f2c61d09ab37e45
  chancery request req_8f2c61d09ab37e45 --json`)
}

const none = '-'

async function showRequest({ call }: Context, id: string): Promise<Result> {
  const requests = await call(operatorOperations.requestsGet, { id })
  const head = ['TIME', 'OPERATION', 'STATUS', 'ERROR', 'TOOK', 'KEY', 'NAME', 'PLAYER', 'ADDRESS']
  const rows = requests.data.map(request => [
    formatSecond(request.at),
    request.operation,
    String(request.status),
    [request.error_code, request.error_parameter].filter(Boolean).join(': ') || none,
    `${request.duration_ms.toFixed(1)} ms`,
    request.key_id ?? none,
    request.key_name ?? none,
    request.player_id ?? none,
    request.address ?? none,
  ])
  return [requests, table([head, ...rows])]
}
