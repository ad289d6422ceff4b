import {
  type CheckedSample,
  type CheckedViews,
  checkViews,
  type DialectName,
  dialectNames,
  dialectOf,
  gameProtocols,
  type RoundReport,
  runPull,
  touchedSql,
  type ViewReport,
  viewTemplates,
} from '@chancery/connect'
import { type FactResource, factResources, rejectionText } from '@chancery/contract'
import { Option } from 'commander'
import type { ChanceryCommand } from '../command.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { formatCount, formatNumber } from '../format.ts'
import { connectGame, gameContract, pacingOf } from '../game-connection.ts'
import { feedName, minutes, resourceList, seconds, sqlName } from '../options.ts'
import { listenForStop } from '../stop.ts'
import { logStatus, print, printLine, type Terminal } from '../terminal.ts'
import { oneLine } from '../untrusted-text.ts'

export function addPull(program: ChanceryCommand) {
  const { terminal } = program
  const pull = program
    .command('pull')
    .description("read views in the game's database, and send changes to the service")
    .option('--every <seconds>', 'how often to read them', seconds, 5)
    .option(
      '--all-every <minutes>',
      'how often to read all rows where the game has a table of touched keys; those are read each second',
      minutes,
      10,
    )
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
    .option('--sample', 'only some rows of each view', false)
    .action((_options: object, command: ChanceryCommand) => check(command.optsWithGlobals(), terminal))
    .details(`
Some rows of each view are validated first, within seconds. All rows follow unless these show that a view is wrong.

Examples:
  chancery pull check
  chancery pull check --sample
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
    .option('--touched', 'the table of touched keys instead, with triggers to copy', false)
    .action((resources: string[], _options: object, command: ChanceryCommand) =>
      printSql(resources, command.optsWithGlobals(), terminal),
    )
    .details(`
Examples:
  chancery pull sql > views.sql
  CHANCERY_GAME_FILE=game.json chancery pull sql nation war
  chancery pull sql --dialect mysql nation > views.sql
  chancery pull sql --touched > touched.sql`)
}

interface PullOptions {
  every: number
  allEvery: number
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
  const { every, allEvery, once, json } = options
  await runPull({
    ...(await pullerOptions(options, terminal)),
    readAllMs: allEvery * 60_000,
    isOnce: once,
    pacing: pacingOf(every),
    signal: listenForStop(terminal).signal,
    log: message => logStatus(terminal, message),
    report: round => printLine(terminal, json, round, roundText(round)),
  })
}

async function check(options: PullOptions & { sample: boolean }, terminal: Terminal) {
  const found = await checkViews({
    ...(await pullerOptions(options, terminal)),
    isSample: options.sample,
    reportSample: sample => {
      if (!options.json) logStatus(terminal, sampleText(sample))
    },
  })
  const { warnings, isSample, ...rest } = found
  // The member `complaints` is part of the JSON format.
  print(terminal, options.json, { is_sample: isSample, ...rest, complaints: warnings }, checkText(found))
  const rows = isSample
    ? found.kinds.reduce((sum, kind) => sum + kind.rows, 0)
    : new Set(found.refused.map(({ resource, key }) => `${resource} ${key}`)).size
  if (rows > 0) throw new CommandError(`${formatCount(rows, 'row')} would be rejected`)
  if (found.warnings.length > 0) throw new CommandError('some rows of the views would not be sent')
}

async function printSql(
  words: string[],
  { schema, dialect: named, touched }: PullOptions & { dialect?: DialectName; touched: boolean },
  terminal: Terminal,
) {
  const dialect = named ?? dialectOf(terminal.env.CHANCERY_GAME_DATABASE_URL ?? '')
  if (touched) {
    terminal.output.write(touchedSql(schema, dialect))
    return
  }
  const resources = words.map(word => {
    const resource = factResources.find(name => name === word)
    if (!resource) throw new UsageError(`unknown resource ${word}: name some of ${factResources.join(', ')}`)
    return resource
  })
  const contract = await gameContract(terminal.env)
  terminal.output.write(
    viewTemplates(contract, schema, resources.length > 0 ? resources : [...factResources], dialect),
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

function checkText({ views, kinds, warnings, notes, isSample }: CheckedViews): string {
  return [
    ...notes.map(note => `note: ${note}`),
    ...warnings,
    ...kinds.map(kindText),
    ...Object.entries(views).map(
      ([resource, facts]) => `${resource}  ${formatCount(facts, isSample ? 'row' : 'fact')}`,
    ),
    ...(isSample ? ['only these rows were read'] : []),
  ].join('\n')
}

/** `rejected: 180 rows of nation: /national_score must be a number (it is "many"); as 7, 8, 9` */
function kindText({ resource, rows, examples }: CheckedViews['kinds'][number]): string {
  const [first, ...others] = examples
  const same = others.filter(({ text }) => text === first?.text)
  const different = others.filter(({ text }) => text !== first?.text)
  const keys = [first, ...same].flatMap(example => example?.key ?? []).join(', ')
  const more = different.map(({ key, text }) => `; ${key}: ${text}`).join('')
  return oneLine(`rejected: ${formatCount(rows, 'row')} of ${resource}: ${keys}: ${first?.text ?? ''}${more}`)
}

function sampleText({ views, refused }: CheckedSample): string {
  const read = Object.values(views).reduce((sum, rows) => sum + rows, 0)
  const rejected = refused.reduce((sum, { rows }) => sum + rows, 0)
  return `sample: ${formatCount(read, 'row')} read, ${rejected === 0 ? 'none rejected' : `${formatNumber(rejected)} rejected`}`
}
