import type { Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { endpointPath } from '../../door/endpoint-path.ts'
import { readEndpoint, readTest } from '../../door/endpoint-record.ts'
import { findDoor } from '../../door/environment.ts'
import { openDoor } from '../../door/operator-door.ts'
import { print, type Terminal } from '../../terminal.ts'
import { testText } from '../../webhooks/test-text.ts'

/** What decides whether an endpoint hears: its tests, and its owner or the operator. */
export function addSwitchCommands(webhooks: Command, terminal: Terminal) {
  webhooks
    .command('test')
    .description('send a test; an endpoint that waits for its first answer hears from then on')
    .argument('<id>', 'of the endpoint')
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: SwitchOptions) => sendTest('test', id, options, terminal))
    .addHelpText('after', `${testedText}\n  chancery webhooks test whe_5bqk2yVh0TzD`)
  webhooks
    .command('enable')
    .description('switch an endpoint on again, if it answers a test')
    .argument('<id>', 'of the endpoint')
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: SwitchOptions) => sendTest('enable', id, options, terminal))
    .addHelpText('after', `${testedText}\n  chancery webhooks enable whe_5bqk2yVh0TzD`)
  webhooks
    .command('disable')
    .description('switch an endpoint off')
    .argument('<id>', 'of the endpoint')
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: SwitchOptions) => disable(id, options, terminal))
    .addHelpText('after', '\nExamples:\n  chancery webhooks disable whe_5bqk2yVh0TzD')
}

const testedText = `
The exit status is 1 if the test was not answered with a status from 200 to 299.

Examples:`

interface SwitchOptions {
  json: boolean
}

async function sendTest(command: 'test' | 'enable', id: string, { json }: SwitchOptions, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const answer = await door.call('POST', endpointPath(id, command))
  const endpoint = readEndpoint(answer)
  const test = readTest(answer)
  print(
    terminal,
    json,
    answer,
    test ? testText(endpoint, test) : `${endpoint.id} is ${endpoint.status} already`,
  )
  if (test?.has_arrived === false) throw new CommandError('the test has not arrived')
}

async function disable(id: string, { json }: SwitchOptions, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const answer = await door.call('POST', endpointPath(id, 'disable'))
  const text = `${readEndpoint(answer).id} is off; what waited for it has failed, and can be replayed after webhooks enable`
  print(terminal, json, answer, text)
}
