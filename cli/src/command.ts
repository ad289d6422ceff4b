import { Command } from 'commander'
import { CommandError } from './command-error.ts'
import { type OperatorClient, openOperatorClient } from './operator-client/operator-client.ts'
import { print, type Terminal } from './terminal.ts'

/**
 * The document of --json, the text for people, and the error message if the exit status is to be 1. An empty text is not printed; nor is
 * an undefined document.
 */
export type Result = [document: unknown, text: string, failure?: string]

/** What an action uses. The operator client is opened at its first use, so that usage errors are found without a service. */
export interface Context {
  terminal: Terminal
  client(): Promise<OperatorClient>
  call: OperatorClient['call']
}

function contextOf(terminal: Terminal): Context {
  let opened: Promise<OperatorClient> | undefined
  const client = () => (opened ??= openOperatorClient(terminal.env))
  return { terminal, client, call: async (...request) => (await client()).call(...request) }
}

/** A command, whose subcommands are of the same class. */
export class ChanceryCommand extends Command {
  readonly terminal: Terminal

  constructor(terminal: Terminal, name?: string) {
    super(name)
    this.terminal = terminal
  }

  override createCommand(name?: string): ChanceryCommand {
    return new ChanceryCommand(this.terminal, name)
  }

  /** Adds a text below the options in the help. */
  details(text: string): this {
    return this.addHelpText('after', text)
  }

  /** Adds --json, and an action of the arguments and the other options, whose result is printed. */
  prints<A extends unknown[]>(run: (context: Context, ...given: A) => Promise<Result>): this {
    const { terminal } = this
    return this.option('--json', 'print one JSON document', false).action(async () => {
      const { json, ...options } = this.opts<{ json: boolean }>()
      const given = [...this.processedArgs, options] as unknown[] as A
      const [document, text, failure] = await run(contextOf(terminal), ...given)
      if (json ? document !== undefined : text !== '') print(terminal, json, document, text)
      if (failure !== undefined) throw new CommandError(failure)
    })
  }
}
