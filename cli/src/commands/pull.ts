import { checkViews, runPull, viewSkeletons } from '@chancery/connect'
import { type FactResource, factResources } from '@chancery/contract'
import type { Command } from 'commander'
import { CommandError, UsageError } from '../command-error.ts'
import { bothEnds, gameContract } from '../connect/game.ts'
import { checkText, roundText } from '../connect/round-text.ts'
import { line, pacingOf } from '../connect/run.ts'
import { counted } from '../numbers.ts'
import { feedName, resourceList, seconds, sqlName } from '../option-values.ts'
import { listenForStop } from '../stop.ts'
import { print, say, type Terminal } from '../terminal.ts'

export function addPull(program: Command, terminal: Terminal) {
  const pull = program
    .command('pull')
    .description("read views in the game's database, and tell the service what has changed")
    .option('--every <seconds>', 'how often to look', seconds, 5)
    .option('--once', 'look once, and end', false)
    .option(
      '--allow-deletes',
      'delete any number of rows in the first round; without it, deletions of more than a tenth of a view are held back',
      false,
    )
    .option('--keep <resources>', 'what stays when its rows go, between commas', resourceList, [])
    .option('--schema <name>', 'where the views are', sqlName, 'chancery_out')
    .option('--name <feed>', 'the name under which the service knows this puller', feedName, 'pull')
    .option('--json', 'print a JSON document for each round with changes', false)
    .action((options: PullOptions) => runUntilStopped(options, terminal))
    .addHelpText(
      'after',
      `
CHANCERY_GAME_DATABASE_URL names the game's PostgreSQL, CHANCERY_GAME_FILE its profile.
Each view is named and shaped like a resource: chancery_out.nation, chancery_out.war.

Examples:
  chancery pull sql nation war > views.sql     the views to fill in
  chancery pull check                          what the service says to them
  chancery pull                                every 5 seconds, until it is stopped
  chancery pull --keep war,battle              old ones are cleared away in the game, and stay outside
  chancery pull --once --allow-deletes         once, though many rows are gone`,
    )
  pull
    .command('check')
    .description('read the views and have the service check them; nothing is stored')
    .action((_options: object, command: Command) => check(command.optsWithGlobals(), terminal))
    .addHelpText(
      'after',
      `
Examples:
  chancery pull check
  chancery pull check --json --schema chancery_out`,
    )
  pull
    .command('sql')
    .description('print SQL for views to fill in, with every field of the game profile')
    .argument('[resource...]', `of ${factResources.join(', ')}`)
    .action((resources: string[], _options: object, command: Command) =>
      printSql(resources, command.optsWithGlobals(), terminal),
    )
    .addHelpText(
      'after',
      `
Examples:
  chancery pull sql > views.sql
  CHANCERY_GAME_FILE=game.json chancery pull sql nation war`,
    )
}

interface PullOptions {
  every: number
  once: boolean
  allowDeletes: boolean
  keep: FactResource[]
  schema: string
  name: string
  json: boolean
}

async function runUntilStopped(options: PullOptions, terminal: Terminal) {
  const { every, once, allowDeletes, keep, schema, name, json } = options
  await runPull({
    ...(await bothEnds(terminal.env)),
    schema,
    feed: name,
    keeps: new Set(keep),
    allowsDeletes: allowDeletes,
    isOnce: once,
    pacing: pacingOf(every),
    signal: listenForStop(terminal).signal,
    say: message => say(terminal, message),
    report: round => line(terminal, json, round, roundText(round)),
  })
}

async function check({ allowDeletes, keep, schema, name, json }: PullOptions, terminal: Terminal) {
  const found = await checkViews({
    ...(await bothEnds(terminal.env)),
    schema,
    feed: name,
    keeps: new Set(keep),
    allowsDeletes: allowDeletes,
  })
  print(terminal, json, found, checkText(found))
  const rows = new Set(found.refused.map(({ resource, key }) => `${resource} ${key}`)).size
  if (rows > 0) throw new CommandError(`${counted(rows, 'row')} would be refused`)
  if (found.complaints.length > 0) throw new CommandError('not all that the views hold would be told')
}

async function printSql(words: string[], { schema }: PullOptions, terminal: Terminal) {
  const resources = words.map(word => {
    const resource = factResources.find(name => name === word)
    if (!resource) throw new UsageError(`${word} is no resource: name some of ${factResources.join(', ')}`)
    return resource
  })
  const contract = await gameContract(terminal.env)
  terminal.output.write(
    viewSkeletons(contract, schema, resources.length > 0 ? resources : [...factResources]),
  )
}
