/**
 * Plays the small game of this example on its own database, GAME_DATABASE_URL.
 *   node src/main.ts apply FILE…            runs SQL files, each in a transaction
 *   node src/main.ts play [STEPS] [SEED]    creates the world unless it exists, and makes STEPS moves (default 200, seed 1)
 */
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { playGame } from './play.ts'

const usage = 'usage: main.ts apply FILE… | play [STEPS] [SEED]'

function stop(message: string): never {
  console.error(message)
  process.exit(2)
}

const [command, ...words] = process.argv.slice(2)
const connectionString = process.env.GAME_DATABASE_URL
if (connectionString === undefined)
  stop('GAME_DATABASE_URL is not set: set it to the postgres:// URL of an empty database for the game')

const db = new pg.Client({ connectionString })
await db.connect()
try {
  if (command === 'apply' && words.length > 0) {
    for (const file of words) {
      await db.query('begin')
      await db.query(await readFile(file, 'utf8'))
      await db.query('commit')
      console.log(`applied ${file}`)
    }
  } else if (command === 'play') {
    const [steps = 200, seed = 1] = words.map(Number)
    if (![steps, seed].every(Number.isSafeInteger)) stop(usage)
    const counts = await playGame(db, { steps, seed })
    console.log(
      `${steps} moves: the world has ${counts.countries} countries, ${counts.clans} clans, ${counts.campaigns} campaigns and ${counts.clashes} clashes`,
    )
  } else stop(usage)
} finally {
  await db.end()
}
