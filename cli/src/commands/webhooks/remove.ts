import type { Command } from 'commander'
import { endpointPath } from '../../door/endpoint-path.ts'
import { findDoor } from '../../door/environment.ts'
import { openDoor } from '../../door/operator-door.ts'
import { print, type Terminal } from '../../terminal.ts'

export function addRemoveCommand(webhooks: Command, terminal: Terminal) {
  webhooks
    .command('remove')
    .description('remove an endpoint with its log of deliveries')
    .argument('<id>', 'of the endpoint')
    .option('--json', 'print one JSON document', false)
    .action(async (id: string, { json }: { json: boolean }) => {
      const door = openDoor(await findDoor(terminal.env))
      const answer = await door.call('DELETE', endpointPath(id))
      print(terminal, json, answer, `${id} is removed, with its log`)
    })
    .addHelpText('after', '\nExamples:\n  chancery webhooks remove whe_5bqk2yVh0TzD')
}
