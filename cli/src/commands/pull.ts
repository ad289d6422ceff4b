import {
  type CheckedViews,
  checkViews,
  type DialectName,
  dialectNames,
  dialectOf,
  gameProtocols,
  type RoundReport,
  runPull,
  type ViewReport,
  viewTemplates,
} from '@chancery/connect'
import { type FactResource, factResources, rejectionText } from '@chancery/contract'
import { Option } from 'commander'
import type { ChanceryCommand } from '../command.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { formatCount, formatNumber } from '../format.ts'
import { connectGame, gameContract, pacingOf } from '../game-connection.ts'
import { feedName, resourceList, seconds, sqlName } from '../options.ts'
import { listenForStop } from '../stop.ts'
import { logStatus, print, printLine, type Terminal } from '../terminal.ts'
import { oneLine } from '../untrusted-text.ts'

export function addPull(program: ChanceryCommand) {
  const { terminal } = program
  const pull = program
    .command('pull')
    .description("read views in the game's database, and send changes to the service")
    .option('--every <seconds>', 'how often to read them', seconds, 5)
    .option('--once', 'run one round, then exit', false)
    .option(
      '--allow-deletes',
      'allow any number of deletions in the first round; otherwise deletions of more than a tenth of a view are held back',
      false,
    )
    .option(
      '--keep <resources>',
      'resources to keep when their rows disappear (comma-separated)',
      resourceList,
      [],
    )
    .option('--schema <name>', 'the schema of the views', sqlName, 'chancery_out')
    .option('--name <feed>', 'the feed: the name of this puller in the service', feedName, 'pull')
    .option('--json', 'print a JSON document for each round with changes', false)
    .action((options: PullOptions) => runUntilStopped(options, terminal))
    .details(`
CHANCERY_GAME_DATABASE_URL names the game's PostgreSQL, MySQL, MariaDB or SQLite, CHANCERY_GAME_FILE its profile.
Each view is named and shaped like a resource: chancery_out.nation, chancery_out.war.

Examples:
  chancery pull sql nation war > views.sql     the views to fill in
  chancery pull check                          validate them
  chancery pull                                every 5 seconds, until stopped
  chancery pull --keep war,battle              keep wars and battles that the game deletes
  chancery pull --once --allow-deletes         once, although many rows are missing`)
  pull
    .command('check')
    .description('read the views and have the service validate their facts; nothing is stored')
    .action((_options: object, command: ChanceryCommand) => check(command.optsWithGlobals(), terminal))
    .details(`
Examples:
  chancery pull check
  chancery pull check --json --schema chancery_out`)
  pull
    .command('sql')
    .description('print SQL templates of views, with every field of the game profile')
    .argument('[resource...]', `of ${factResources.join(', ')}`)
    .addOption(
      new Option(
        '--dialect <name>',
        'the database; default: that of CHANCERY_GAME_DATABASE_URL, else postgresql',
      ).choices(dialectNames),
    )
    .action((resources: string[], _options: object, command: ChanceryCommand) =>
      printSql(resources, command.optsWithGlobals(), terminal),
    )
    .details(`
Examples:
  chancery pull sql > views.sql
  CHANCERY_GAME_FILE=game.json chancery pull sql nation war
  chancery pull sql --dialect mysql nation > views.sql`)
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

const pullerOptions = async ({ allowDeletes, keep, schema, name }: PullOptions, { env }: Terminal) => ({
  ...(await connectGame(env, gameProtocols)),
  schema,
  feed: name,
  keptResources: new Set(keep),
  allowsDeletes: allowDeletes,
})

async function runUntilStopped(options: PullOptions, terminal: Terminal) {
  const { every, once, json } = options
  await runPull({
    ...(await pullerOptions(options, terminal)),
    isOnce: once,
    pacing: pacingOf(every),
    signal: listenForStop(terminal).signal,
    log: message => logStatus(terminal, message),
    report: round => printLine(terminal, json, round, roundText(round)),
  })
}

async function check(options: PullOptions, terminal: Terminal) {
  const found = await checkViews(await pullerOptions(options, terminal))
  const { warnings, ...rest } = found
  // The member `complaints` is part of the JSON format.
  print(terminal, options.json, { ...rest, complaints: warnings }, checkText(found))
  const rows = new Set(found.refused.map(({ resource, key }) => `${resource} ${key}`)).size
  if (rows > 0) throw new CommandError(`${formatCount(rows, 'row')} would be rejected`)
  if (found.warnings.length > 0) throw new CommandError('some rows of the views would not be sent')
}

async function printSql(
  words: string[],
  { schema, dialect }: PullOptions & { dialect?: DialectName },
  terminal: Terminal,
) {
  const resources = words.map(word => {
    const resource = factResources.find(name => name === word)
    if (!resource) throw new UsageError(`unknown resource ${word}: name some of ${factResources.join(', ')}`)
    return resource
  })
  const contract = await gameContract(terminal.env)
  const url = terminal.env.CHANCERY_GAME_DATABASE_URL ?? ''
  terminal.output.write(
    viewTemplates(
      contract,
      schema,
      resources.length > 0 ? resources : [...factResources],
      dialect ?? dialectOf(url),
    ),
  )
}

const clock = (at: string) => at.slice(11, 19)

/** `12:00:05 nation 3 changed, war 1 new; batch … applied, 2 events`, and a line for each quarantined row. */
function roundText({ at, batch, events, views, refused }: RoundReport): string {
  const changes = Object.entries(views).flatMap(([resource, view]) => {
    const text = viewText(view)
    return text === '' ? [] : [`${resource} ${text}`]
  })
  const sent = batch === null ? 'nothing applied' : `batch ${batch} applied, ${formatCount(events, 'event')}`
  return [
    `${clock(at)} ${changes.length > 0 ? changes.join(', ') : 'no changes'}; ${sent}`,
    ...refused.map(row => `${clock(at)} quarantined: ${problemText(row)}`),
  ].join('\n')
}

function viewText(view: ViewReport): string {
  const { is_whole: isWhole, new: added, changed, deleted, aside, held_back: heldBack } = view
  const parts: [count: number | null, word: string][] = isWhole
    ? [[added, 'in total']]
    : [
        [added, 'new'],
        [changed, 'changed'],
        [deleted, 'deleted'],
      ]
  return [...parts, [aside, 'quarantined'] as const, [heldBack, 'deletions held back'] as const]
    .filter(([count], index) => count !== 0 || (isWhole && index === 0))
    .map(([count, word]) => `${count === null ? 'an unknown number of' : formatNumber(count)} ${word}`)
    .join(' ')
}

const problemText = ({ resource, key, path, ...problem }: CheckedViews['refused'][number]): string =>
  oneLine(`${resource} ${key}: ${rejectionText({ ...problem, path: path.replace(/^\/data/, '') })}`)

function checkText({ views, refused, warnings, notes }: CheckedViews): string {
  return [
    ...notes.map(note => `note: ${note}`),
    ...warnings,
    ...refused.map(row => `rejected: ${problemText(row)}`),
    ...Object.entries(views).map(([resource, facts]) => `${resource}  ${formatCount(facts, 'fact')}`),
  ].join('\n')
}
