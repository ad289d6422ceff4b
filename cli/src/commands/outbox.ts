import { openGame, outboxSql, readOutboxStatus, runDrain, usualPacing } from '@chancery/connect'
import type { Command } from 'commander'
import { bothEnds, gameUrl } from '../connect/game.ts'
import { drainedText } from '../connect/round-text.ts'
import { line, pacingOf } from '../connect/run.ts'
import { counted, duration } from '../numbers.ts'
import { feedName, seconds } from '../option-values.ts'
import { listenForStop } from '../stop.ts'
import { print, say, type Terminal } from '../terminal.ts'

export function addOutbox(program: Command, terminal: Terminal) {
  const outbox = program
    .command('outbox')
    .description('facts that the game writes inside its own transactions')
    .addHelpText(
      'after',
      `
CHANCERY_GAME_DATABASE_URL names the game's PostgreSQL, CHANCERY_GAME_FILE its profile.

Examples:
  chancery outbox sql | psql "$CHANCERY_GAME_DATABASE_URL"
  chancery outbox drain
  chancery outbox status`,
    )
  outbox
    .command('sql')
    .description('print the SQL that makes the outbox, with sample triggers')
    .action(async () => void terminal.output.write(await outboxSql()))
    .addHelpText(
      'after',
      `
Examples:
  chancery outbox sql | psql "$CHANCERY_GAME_DATABASE_URL"`,
    )
  outbox
    .command('drain')
    .description('tell the service what the game has written, and remove it')
    .option('--every <seconds>', 'how often to look; a notification comes sooner', seconds, 1)
    .option('--once', 'end when nothing waits', false)
    .option('--name <feed>', 'the name under which the service knows this outbox', feedName, 'outbox')
    .option('--json', 'print a JSON document for each batch', false)
    .action((options: DrainOptions) => drain(options, terminal))
    .addHelpText(
      'after',
      `
Examples:
  chancery outbox drain
  chancery outbox drain --once --json`,
    )
  outbox
    .command('status')
    .description('how much waits, and for how long')
    .option('--json', 'print one JSON document', false)
    .action((options: { json: boolean }) => status(options, terminal))
    .addHelpText(
      'after',
      `
Examples:
  chancery outbox status --json`,
    )
}

interface DrainOptions {
  every: number
  once: boolean
  name: string
  json: boolean
}

async function drain({ every, once, name, json }: DrainOptions, terminal: Terminal) {
  await runDrain({
    ...(await bothEnds(terminal.env)),
    feed: name,
    isOnce: once,
    pacing: pacingOf(every),
    signal: listenForStop(terminal).signal,
    say: message => say(terminal, message),
    report: batch => line(terminal, json, batch, drainedText(batch)),
  })
}

async function status({ json }: { json: boolean }, terminal: Terminal) {
  const db = await openGame(gameUrl(terminal.env), {
    name: 'chancery outbox status',
    isReadOnly: true,
    silentMs: usualPacing.silentMs,
  })
  try {
    const found = await readOutboxStatus(db)
    const { rows, transactions, oldest_seconds: oldest } = found
    const age = oldest === null ? '' : `, the oldest for ${duration(oldest * 1000)}`
    const text = `${counted(rows, 'fact')} of ${counted(transactions, 'transaction')} waiting${age}`
    print(terminal, json, found, rows === 0 ? 'nothing waits' : text)
  } finally {
    await db.close()
  }
}
