import type { Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { endpointPath } from '../../door/endpoint-path.ts'
import { findDoor } from '../../door/environment.ts'
import { membersOf } from '../../door/members.ts'
import { type OperatorDoor, openDoor } from '../../door/operator-door.ts'
import { counted } from '../../numbers.ts'
import { moment } from '../../option-values.ts'
import { print, type Terminal } from '../../terminal.ts'
import { type ReplayOptions, type ReplayWish, wishesOf } from '../../webhooks/replay-wish.ts'

export function addReplayCommand(webhooks: Command, terminal: Terminal) {
  webhooks
    .command('replay')
    .description('send once more: some deliveries, all that failed, or a span of time')
    .argument('<id>', 'of the endpoint')
    .argument('[delivery...]', 'ids of deliveries, as chancery webhooks log shows them')
    .option('--failed', 'all that were given up (state failed)', false)
    .option('--since <moment>', 'what was logged from then on, delivered before or not', moment)
    .option('--until <moment>', 'and before then (default: now)', moment)
    .option('--json', 'print one JSON document', false)
    .action((id: string, deliveries: string[], options: Options) => replay(id, deliveries, options, terminal))
    .addHelpText(
      'after',
      `
A replayed event has the id that it had before. A test is not replayed: chancery webhooks test sends
another.

Examples:
  chancery webhooks replay whe_5bqk2yVh0TzD dlv_81 dlv_84
  chancery webhooks replay whe_5bqk2yVh0TzD --failed
  chancery webhooks replay whe_5bqk2yVh0TzD --since 2026-03-01T12:00Z --until 2026-03-01T14:00Z`,
    )
}

interface Options extends ReplayOptions {
  json: boolean
}

async function replay(id: string, deliveries: string[], { json, ...options }: Options, terminal: Terminal) {
  const wishes = wishesOf(deliveries, options, Date.now())
  const door = openDoor(await findDoor(terminal.env))
  let queued = 0
  for (const wish of wishes) {
    try {
      queued += await ask(door, id, wish)
    } catch (err) {
      if (err instanceof CommandError && queued > 0) print(terminal, json, { queued }, queuedText(queued))
      throw err instanceof CommandError && 'delivery' in wish && wishes.length > 1
        ? new CommandError(`${wish.delivery}: ${err.message}`)
        : err
    }
  }
  print(terminal, json, { queued }, queuedText(queued))
}

async function ask(door: OperatorDoor, id: string, wish: ReplayWish): Promise<number> {
  const answer = await door.call('POST', endpointPath(id, 'replay'), wish)
  return membersOf(answer, 'a replay').number('queued')
}

const queuedText = (queued: number) =>
  queued === 0 ? 'there is nothing to replay' : `${counted(queued, 'delivery', 'deliveries')} queued`
