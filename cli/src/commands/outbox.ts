import {
  type DrainedBatch,
  defaultPacing,
  openGame,
  outboxSql,
  readOutboxStatus,
  runDrain,
} from '@chancery/connect'
import { rejectionText } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { formatCount, formatDuration, formatNumber } from '../format.ts'
import { connectGame, gameUrl, pacingOf } from '../game-connection.ts'
import { feedName, seconds } from '../options.ts'
import { listenForStop } from '../stop.ts'
import { logStatus, printLine, type Terminal } from '../terminal.ts'
import { oneLine } from '../untrusted-text.ts'

export function addOutbox(program: ChanceryCommand) {
  const { terminal } = program
  const outbox = program
    .command('outbox')
    .description('send facts that the game writes in its own transactions (transactional outbox)')
    .details(`
CHANCERY_GAME_DATABASE_URL names the game's PostgreSQL, CHANCERY_GAME_FILE its profile.

Examples:
  chancery outbox sql | psql "$CHANCERY_GAME_DATABASE_URL"
  chancery outbox drain
  chancery outbox status`)
  outbox
    .command('sql')
    .description('print the SQL that creates the outbox, with sample triggers')
    .action(async () => void terminal.output.write(await outboxSql()))
    .details(`
Examples:
  chancery outbox sql | psql "$CHANCERY_GAME_DATABASE_URL"`)
  outbox
    .command('drain')
    .description('send the facts of the outbox to the service, and remove them')
    .option('--every <seconds>', 'how often to poll; notifications wake it sooner', seconds, 1)
    .option('--once', 'exit when the outbox is empty', false)
    .option('--name <feed>', 'the feed: the name of this outbox in the service', feedName, 'outbox')
    .option('--json', 'print a JSON document for each batch', false)
    .action((options: DrainOptions) => drain(options, terminal))
    .details(`
Examples:
  chancery outbox drain
  chancery outbox drain --once --json`)
  outbox
    .command('status')
    .description('show the size and age of the backlog')
    .prints(status)
    .details(`
Examples:
  chancery outbox status --json`)
}

interface DrainOptions {
  every: number
  once: boolean
  name: string
  json: boolean
}

async function drain({ every, once, name, json }: DrainOptions, terminal: Terminal) {
  await runDrain({
    ...(await connectGame(terminal.env)),
    feed: name,
    isOnce: once,
    pacing: pacingOf(every),
    signal: listenForStop(terminal).signal,
    log: message => logStatus(terminal, message),
    report: batch => printLine(terminal, json, batch, drainedText(batch)),
  })
}

async function status({ terminal }: Context): Promise<Result> {
  const db = await openGame(gameUrl(terminal.env), {
    name: 'chancery outbox status',
    isReadOnly: true,
    idleTimeoutMs: defaultPacing.idleTimeoutMs,
  })
  try {
    const found = await readOutboxStatus(db)
    const { rows, transactions, oldest_seconds: oldest } = found
    const age = oldest === null ? '' : `, the oldest for ${formatDuration(oldest * 1000)}`
    const text = `${formatCount(transactions, 'pending transaction')} with ${formatCount(rows, 'fact')}${age}`
    return [found, rows === 0 ? 'the outbox is empty' : text]
  } finally {
    await db.close()
  }
}

const reasonsMax = 20

/** `12:00:05 3 facts applied, 2 events (outbox:…)`, and the reasons if some were rejected. */
function drainedText({ at, batch, status, facts, set_aside, events, refused }: DrainedBatch): string {
  const left = set_aside === 0 ? '' : `, ${formatNumber(set_aside)} of them set aside until they fit`
  const results = {
    applied: `applied, ${formatCount(events, 'event')}${left}`,
    duplicate: 'applied before',
    refused: 'rejected: see chancery refused list',
  }
  const reasons = refused
    .slice(0, reasonsMax)
    .map(rejection => oneLine(`  fact ${rejection.line}: ${rejectionText(rejection)}`))
  if (refused.length > reasonsMax) reasons.push(`  and ${refused.length - reasonsMax} more`)
  return [
    `${at.slice(11, 19)} ${formatCount(facts, 'fact')} ${results[status]} (batch ${batch})`,
    ...reasons,
  ].join('\n')
}
