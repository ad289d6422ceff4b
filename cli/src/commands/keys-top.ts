import type { Command } from 'commander'
import { readBusyKeys } from '../door/call-record.ts'
import { findDoor } from '../door/environment.ts'
import { openDoor } from '../door/operator-door.ts'
import { grouped } from '../numbers.ts'
import { table } from '../table.ts'
import { print, type Terminal } from '../terminal.ts'
import { type TopOptions, topPath, withTopOptions } from '../top-options.ts'

const hoursMax = 168

export function addKeysTop(keys: Command, terminal: Terminal) {
  withTopOptions(keys.command('top').description('list the keys that call most'), hoursMax)
    .action((options: TopOptions) => listBusyKeys(options, terminal))
    .addHelpText(
      'after',
      `
LIMITED were refused with 429 and FORBIDDEN with 403; GOING were answered with parts that are deprecated;
REDEEMED are verification codes.

Examples:
  chancery keys top
  chancery keys top --hours 1 --limit 5`,
    )
}

async function listBusyKeys(options: TopOptions, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const answer = await door.call('GET', topPath('/usage/keys', options))
  const rows = readBusyKeys(answer).map(key => [
    key.key_id,
    key.player_id ?? '-',
    key.name ?? '-',
    ...[key.calls, key.limited, key.refused, key.deprecated, key.redemptions].map(grouped),
  ])
  const head = ['ID', 'PLAYER', 'NAME', 'CALLS', 'LIMITED', 'FORBIDDEN', 'GOING', 'REDEEMED']
  print(terminal, options.json, answer, rows.length > 0 ? table([head, ...rows]) : 'no calls with keys')
}
