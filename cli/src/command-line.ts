import { CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { ChanceryCommand } from './command.ts'
import { CommandError, UsageError } from './command-error.ts'
import { logStatus, type Terminal } from './terminal.ts'

/** By name, in the order of the help. Each is loaded on demand: a service does not load the code of other commands. */
const commands = new Map<string, () => Promise<AddCommand>>([
  ['demo', async () => (await import('./commands/demo.ts')).addDemo],
  ['serve', async () => (await import('./commands/serve.ts')).addServe],
  ['migrate', async () => (await import('./commands/migrate.ts')).addMigrate],
  ['status', async () => (await import('./commands/status.ts')).addStatus],
  ['senders', async () => (await import('./commands/senders.ts')).addSenders],
  ['ingest', async () => (await import('./commands/ingest.ts')).addIngest],
  ['pull', async () => (await import('./commands/pull.ts')).addPull],
  ['outbox', async () => (await import('./commands/outbox.ts')).addOutbox],
  ['simulate', async () => (await import('./commands/simulate.ts')).addSimulate],
  ['profile', async () => (await import('./commands/profile.ts')).addProfile],
  ['keys', async () => (await import('./commands/keys.ts')).addKeys],
  ['codes', async () => (await import('./commands/codes.ts')).addCodes],
  ['handover', async () => (await import('./commands/handover.ts')).addHandover],
  ['webhooks', async () => (await import('./commands/webhooks.ts')).addWebhooks],
  ['players', async () => (await import('./commands/players.ts')).addPlayers],
  ['redact', async () => (await import('./commands/redact.ts')).addRedact],
  ['erase', async () => (await import('./commands/erase.ts')).addErase],
  ['refused', async () => (await import('./commands/refused.ts')).addRefused],
  ['tokens', async () => (await import('./commands/tokens.ts')).addTokens],
  ['request', async () => (await import('./commands/request.ts')).addRequest],
  ['backup', async () => (await import('./commands/backup.ts')).addBackup],
  ['restore', async () => (await import('./commands/restore.ts')).addRestore],
  ['addresses', async () => (await import('./commands/addresses.ts')).addAddresses],
])

type AddCommand = (program: ChanceryCommand) => void

const exitStatus = { done: 0, failed: 1, usage: 2 } as const

/** Runs one command and resolves to its exit status. */
export async function runCommandLine(words: string[], terminal: Terminal): Promise<number> {
  try {
    await (await createProgram(words, terminal)).parseAsync(words, { from: 'user' })
    return exitStatus.done
  } catch (err) {
    return explain(err, terminal)
  }
}

/** The command line with the named command, or with all of them. */
export async function createProgram(words: string[], terminal: Terminal): Promise<ChanceryCommand> {
  const root = new ChanceryCommand(terminal, 'chancery')
    .description('A read-only HTTP API in front of a multiplayer nation-strategy game.')
    .version(manifest.version)
    .exitOverride()
    .showHelpAfterError('(add --help for the options and examples)')
    .configureOutput({
      writeOut: text => terminal.output.write(text),
      writeErr: text => terminal.messages.write(text),
    })
  for (const add of await commandsFor(words)) add(root)
  return root.addHelpText(
    'after',
    `
Examples:
  chancery demo                       run the service with a simulated world
  chancery serve                      run the service (configured by CHANCERY_… variables)
  chancery status                     show the state of the service
  chancery ingest world.ndjson        send facts to the running service
  chancery pull                       send changes of views in the game's database
  chancery profile check game.json    validate a game profile
  chancery keys create --nation n42 --name "my bot" --scopes nation.read,economy.read
  chancery webhooks add --nation n42 --url https://bot.example.com/events
  chancery players suspend p7         reject the keys of a player until resume
  chancery redact nation n5 --set motto=null
  chancery tokens create --name game-server --roles facts,identity
  chancery refused list               list rejected batches (the dead-letter store)
  chancery request REQ_ID             look up a request in the request log

chancery COMMAND --help shows the options of a command, with examples.`,
  )
}

/** The named command; all of them without a name, and for an unknown one (help and suggestions). */
function commandsFor([name = '']: string[]): Promise<AddCommand[]> {
  const load = commands.get(name)
  return Promise.all((load ? [load] : [...commands.values()]).map(one => one()))
}

/** Expected errors, whose messages state what to do. By name: the modules that define them are not loaded for it. */
const expectedErrors = new Set([
  'ConfigError',
  'StartupError',
  'EmbeddedError',
  'ConnectError',
  'GameUnavailableError',
  'GameBusyError',
  'GameDataError',
  'ServiceUnavailableError',
  'BackupError',
  'LedgerError',
])

function explain(err: unknown, terminal: Terminal): number {
  if (err instanceof CommanderError) {
    const isHelp = err.code === 'commander.helpDisplayed' || err.code === 'commander.version'
    return isHelp ? exitStatus.done : exitStatus.usage
  }
  if (!(err instanceof Error)) throw err
  const isExpected = err instanceof CommandError || err instanceof UsageError || expectedErrors.has(err.name)
  logStatus(terminal, isExpected ? `chancery: ${err.message}` : (err.stack ?? err.message))
  return err instanceof UsageError ? exitStatus.usage : exitStatus.failed
}
