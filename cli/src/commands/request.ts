import type { Command } from 'commander'
import { second } from '../clock.ts'
import { type CallRecord, readCalls } from '../door/call-record.ts'
import { findDoor } from '../door/environment.ts'
import { openDoor } from '../door/operator-door.ts'
import { table } from '../table.ts'
import { print, type Terminal } from '../terminal.ts'

export function addRequest(program: Command, terminal: Terminal) {
  program
    .command('request')
    .description('show what became of a request, by the id that its answer carried')
    .argument('<request-id>', 'from the header x-request-id, or request_id in an error')
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: { json: boolean }) => showRequest(id, options, terminal))
    .addHelpText(
      'after',
      `
The journal goes back 7 days for calls with a key, and 48 hours for others; of a very busy service, and of
a key that floods, not every call has a line. Times are UTC.

Examples:
  chancery request req_8f2c61d09ab37e45
  chancery request req_8f2c61d09ab37e45 --json`,
    )
}

async function showRequest(id: string, { json }: { json: boolean }, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const answer = await door.call('GET', `/requests/${encodeURIComponent(id)}`)
  const head = ['TIME', 'OPERATION', 'STATUS', 'TOOK', 'KEY', 'NAME', 'PLAYER', 'ADDRESS']
  print(terminal, json, answer, table([head, ...readCalls(answer).map(cellsOf)]))
}

const none = '-'

const cellsOf = (call: CallRecord): string[] => [
  second(call.at),
  call.operation,
  String(call.status),
  `${call.duration_ms.toFixed(1)} ms`,
  call.key_id ?? none,
  call.key_name ?? none,
  call.player_id ?? none,
  call.address ?? none,
]
