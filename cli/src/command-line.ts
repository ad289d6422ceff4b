import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { CommandError, UsageError } from './command-error.ts'
import { addAddresses } from './commands/addresses.ts'
import { addBackup } from './commands/backup.ts'
import { addCodes } from './commands/codes.ts'
import { addDemo } from './commands/demo.ts'
import { addErase } from './commands/erase.ts'
import { addHandover } from './commands/handover.ts'
import { addIngest } from './commands/ingest.ts'
import { addKeys } from './commands/keys.ts'
import { addMigrate } from './commands/migrate.ts'
import { addOutbox } from './commands/outbox.ts'
import { addPlayers } from './commands/players.ts'
import { addProfile } from './commands/profile.ts'
import { addPull } from './commands/pull.ts'
import { addRedact } from './commands/redact.ts'
import { addRefused } from './commands/refused.ts'
import { addRequest } from './commands/request.ts'
import { addRestore } from './commands/restore.ts'
import { addServe } from './commands/serve.ts'
import { addSimulate } from './commands/simulate.ts'
import { addTokens } from './commands/tokens.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { say, type Terminal } from './terminal.ts'

const commands = [
  addDemo,
  addServe,
  addMigrate,
  addIngest,
  addPull,
  addOutbox,
  addSimulate,
  addProfile,
  addKeys,
  addCodes,
  addHandover,
  addWebhooks,
  addPlayers,
  addRedact,
  addErase,
  addRefused,
  addTokens,
  addRequest,
  addBackup,
  addRestore,
  addAddresses,
]
const exitStatus = { done: 0, failed: 1, usage: 2 } as const

/** Runs one command and resolves to its exit status. */
export async function runCommandLine(words: string[], terminal: Terminal): Promise<number> {
  try {
    await program(terminal).parseAsync(words, { from: 'user' })
    return exitStatus.done
  } catch (err) {
    return explain(err, terminal)
  }
}

function program(terminal: Terminal): Command {
  const root = new Command('chancery')
    .description('The office through which a multiplayer nation-strategy game speaks to the outside.')
    .version(manifest.version)
    .exitOverride()
    .showHelpAfterError('(add --help for the options and examples)')
    .configureOutput({
      writeOut: text => terminal.output.write(text),
      writeErr: text => terminal.messages.write(text),
    })
  for (const add of commands) add(root, terminal)
  return root.addHelpText(
    'after',
    `
Examples:
  chancery demo                       the service with a simulated world
  chancery serve                      the service from configuration (CHANCERY_… variables)
  chancery ingest world.ndjson        facts into the running service
  chancery pull                       facts from views in the game's database
  chancery profile check game.json    what is wrong with a game profile
  chancery keys create --nation n42 --name "my bot" --scopes nation.read,economy.read
  chancery webhooks add --nation n42 --url https://bot.example.com/events
  chancery players suspend p7         the keys of a player open nothing until resume
  chancery redact nation n5 --set motto=null
  chancery tokens create --name game-server --roles facts,identity
  chancery refused list               batches that wait for somebody to settle them
  chancery request REQ_ID             what became of a request

chancery COMMAND --help shows the options of a command, with examples.`,
  )
}

/** Failures that are expected say what to do in their message; those of the server are known by name, to load it only when needed. */
const failures = new Set([
  'ConfigError',
  'StartupError',
  'EmbeddedError',
  'ConnectError',
  'GameAway',
  'GameBusy',
  'GameDataError',
  'ServiceAway',
  'BackupError',
  'LedgerError',
])

function explain(err: unknown, terminal: Terminal): number {
  if (err instanceof CommanderError) {
    const isHelp = err.code === 'commander.helpDisplayed' || err.code === 'commander.version'
    return isHelp ? exitStatus.done : exitStatus.usage
  }
  if (!(err instanceof Error)) throw err
  const isExpected = err instanceof CommandError || err instanceof UsageError || failures.has(err.name)
  say(terminal, isExpected ? `chancery: ${err.message}` : (err.stack ?? err.message))
  return err instanceof UsageError ? exitStatus.usage : exitStatus.failed
}
