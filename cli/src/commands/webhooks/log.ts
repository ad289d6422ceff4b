import { type DeliveryState, deliveryStates } from '@chancery/contract'
import { type Command, Option } from 'commander'
import { readDeliveries } from '../../door/delivery-record.ts'
import { endpointPath } from '../../door/endpoint-path.ts'
import { findDoor } from '../../door/environment.ts'
import { openDoor } from '../../door/operator-door.ts'
import { wholeNumber } from '../../option-values.ts'
import { print, type Terminal } from '../../terminal.ts'
import { logText } from '../../webhooks/log-text.ts'

export function addLogCommand(webhooks: Command, terminal: Terminal) {
  webhooks
    .command('log')
    .description('show what was delivered to an endpoint, newest first')
    .argument('<id>', 'of the endpoint')
    .option('--limit <n>', 'how many deliveries', wholeNumber(1, 100), 25)
    .addOption(new Option('--state <state>', 'those in this state alone').choices(deliveryStates))
    .option('--attempts', 'show every attempt, with the first line of its answer', false)
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: LogOptions) => showLog(id, options, terminal))
    .addHelpText(
      'after',
      `
LAST is the status that was answered last, or why there was no answer; NEXT is when a delivery that
has not arrived is tried again. The log goes back 30 days; an event has a delivery per endpoint.

Examples:
  chancery webhooks log whe_5bqk2yVh0TzD
  chancery webhooks log whe_5bqk2yVh0TzD --state failed --attempts
  chancery webhooks log whe_5bqk2yVh0TzD --limit 100 --json`,
    )
}

interface LogOptions {
  limit: number
  state?: DeliveryState
  attempts: boolean
  json: boolean
}

async function showLog(id: string, options: LogOptions, terminal: Terminal) {
  const { limit, state, attempts, json } = options
  const query = new URLSearchParams({ limit: String(limit), ...(state && { state }) })
  const door = openDoor(await findDoor(terminal.env))
  const answer = await door.call('GET', `${endpointPath(id, 'deliveries')}?${query}`)
  const deliveries = readDeliveries(answer)
  const text =
    deliveries.length > 0
      ? logText(deliveries, { attempts, nowMs: Date.now() })
      : `no deliveries${state === undefined ? '' : ' in this state'}`
  print(terminal, json, answer, text)
}
