import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { addAddCommand } from './webhooks/add.ts'
import { addListCommand } from './webhooks/list.ts'
import { addLogCommand } from './webhooks/log.ts'
import { addRemoveCommand } from './webhooks/remove.ts'
import { addReplayCommand } from './webhooks/replay.ts'
import { addRotateCommand } from './webhooks/rotate.ts'
import { addSwitchCommands } from './webhooks/switches.ts'

export function addWebhooks(program: Command, terminal: Terminal) {
  const webhooks = program
    .command('webhooks')
    .description("post events to players' receivers, and see what became of them")
  addAddCommand(webhooks, terminal)
  addListCommand(webhooks, terminal)
  addSwitchCommands(webhooks, terminal)
  addRemoveCommand(webhooks, terminal)
  addRotateCommand(webhooks, terminal)
  addLogCommand(webhooks, terminal)
  addReplayCommand(webhooks, terminal)
}
