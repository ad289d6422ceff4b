import type { Client } from 'pg'
import { type Dice, throwDice } from './dice.ts'
import { moves } from './moves.ts'

/** Rows of a world. */
export interface Counts {
  countries: number
  clans: number
  campaigns: number
  clashes: number
}

const firstCountries = 40

/** Makes moves, each in a transaction of its own, as a game's backend does. The same seed on the same world plays the same game. */
export async function playGame(
  db: Client,
  { steps, seed }: { steps: number; seed: number },
): Promise<Counts> {
  const dice = throwDice(seed)
  await createWorld(db, dice)
  const names = Object.keys(moves)
  for (let step = 0; step < steps; step += 1) {
    const move = moves[dice.pick(names) ?? '']
    await inTransaction(db, async () => move?.(db, dice))
  }
  const { rows } = await db.query<Counts>(`
    select (select count(*)::integer from legions.country) as countries, (select count(*)::integer from legions.clan) as clans,
      (select count(*)::integer from legions.campaign) as campaigns, (select count(*)::integer from legions.clash) as clashes`)
  const [counts] = rows
  if (!counts) throw new Error('the world could not be counted')
  return counts
}

async function inTransaction(db: Client, work: () => Promise<void> | undefined): Promise<void> {
  await db.query('begin')
  try {
    await work()
    await db.query('commit')
  } catch (error) {
    await db.query('rollback')
    throw error
  }
}

/** Creates the first age, prices and countries unless they exist. */
async function createWorld(db: Client, dice: Dice): Promise<void> {
  const { rows } = await db.query('select from legions.age limit 1')
  if (rows.length > 0) return
  await inTransaction(db, async () => {
    await db.query(`insert into legions.age (number, title, begun) values (1, 'Age of Bronze', now())`)
    for (const [good, price] of Object.entries({ grain: 3, timber: 7, iron: 15, marble: 22 })) {
      await db.query('insert into legions.bazaar (good, price, as_of) values ($1, $2, now())', [good, price])
    }
    for (let count = 0; count < firstCountries; count += 1) await moves.foundCountry?.(db, dice)
    for (let count = 0; count < 4; count += 1) await moves.foundClan?.(db, dice)
  })
}
