import type { Command } from 'commander'
import { minute } from '../../clock.ts'
import { endpointPath } from '../../door/endpoint-path.ts'
import { readEndpoint, readSecret } from '../../door/endpoint-record.ts'
import { findDoor } from '../../door/environment.ts'
import { openDoor } from '../../door/operator-door.ts'
import { print, type Terminal } from '../../terminal.ts'

export function addRotateCommand(webhooks: Command, terminal: Terminal) {
  webhooks
    .command('rotate')
    .description('give an endpoint a new secret; it is shown this once')
    .argument('<id>', 'of the endpoint')
    .option('--json', 'print one JSON document', false)
    .action((id: string, options: { json: boolean }) => rotateSecret(id, options, terminal))
    .addHelpText(
      'after',
      `
The previous secret keeps signing for 24 hours, so that the receiver can switch without missing a
message. Secrets rotated earlier keep signing until their own 24 hours end; at most 5 previous
secrets sign at a time.

Examples:
  chancery webhooks rotate whe_5bqk2yVh0TzD
  chancery webhooks rotate whe_5bqk2yVh0TzD --json`,
    )
}

async function rotateSecret(id: string, { json }: { json: boolean }, terminal: Terminal) {
  const door = openDoor(await findDoor(terminal.env))
  const answer = await door.call('POST', endpointPath(id, 'rotate'))
  const { previous_secret_ends_at: endsAt } = readEndpoint(answer)
  const text = [
    readSecret(answer),
    '',
    'This is shown once: keep it where messages are received.',
    ...(endsAt === null ? [] : [`The previous secret keeps signing until ${minute(endsAt)} (UTC).`]),
  ]
  print(terminal, json, answer, text.join('\n'))
}
