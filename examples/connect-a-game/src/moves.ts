import type { Client } from 'pg'
import type { Dice } from './dice.ts'

type Move = (db: Client, dice: Dice) => Promise<void>

const syllables = 'ar bel cor dun el fal gor hal is jor kel lor mar nor'.split(' ')
const goods = ['grain', 'timber', 'iron', 'marble']
const arms = ['legionary', 'cavalry', 'galley', 'spy']
const shown = ['legionary', 'cavalry', 'galley']
/** A country without a clan. */
const free = 'not exists (select from legions.seat s where s.country = c.id)'

/** A random id of a table's rows with a condition. */
async function anyId(db: Client, dice: Dice, table: string, where = 'true'): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>(
    `select id from legions.${table} where ${where} order by id`,
  )
  return dice.pick(rows)?.id
}

function nameFrom(dice: Dice): string {
  const name = Array.from({ length: dice.roll(2, 3) }, () => dice.pick(syllables)).join('')
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const lossesFrom = (dice: Dice) => JSON.stringify({ [dice.pick(shown) ?? 'legionary']: dice.roll(1, 400) })

/** The moves of the game, each one transaction. */
export const moves: Record<string, Move> = {
  async foundCountry(db, dice) {
    const name = nameFrom(dice)
    const account = await db.query<{ id: number }>(
      `insert into legions.account (login, email) select $1 || '-' || count(*), $1 || '@players.example' from legions.account returning id`,
      [name.toLowerCase()],
    )
    const { rows } = await db.query<{ id: number }>(
      `insert into legions.country (name, ruler, account, rule, shore, glory, gold, founded)
       values ($1, $2, $3, $4, $5, $6, $7, now()) returning id`,
      [
        name,
        nameFrom(dice),
        account.rows[0]?.id,
        dice.pick(['republic', 'kingdom', 'tyranny']),
        dice.pick(['north', 'south', 'islands']),
        dice.roll(100, 90_000) / 100,
        dice.roll(100, 50_000),
      ],
    )
    const country = rows[0]?.id
    await db.query(
      'insert into legions.legion (country, arm, in_field, in_barracks) select $1, arm, 50, 20 from unnest($2::text[]) arm',
      [country, arms],
    )
    await db.query(
      'insert into legions.stock (country, good, amount) select $1, good, 100 from unnest($2::text[]) good',
      [country, goods],
    )
  },

  async foundClan(db, dice) {
    const consul = await anyId(db, dice, 'country c', free)
    if (consul === undefined) return
    const title = `${nameFrom(dice)} clan`
    const { rows } = await db.query<{ id: number }>(
      `insert into legions.clan (title, short, colour, creed, founded) values ($1, $2, $3, $4, now()) returning id`,
      [title, title.slice(0, 3).toUpperCase(), '#7a1f1f', `By the ${nameFrom(dice)} wolf.`],
    )
    await db.query(`insert into legions.seat (country, clan, rank, since) values ($1, $2, 'consul', now())`, [
      consul,
      rows[0]?.id,
    ])
    await db.query('delete from legions.petition where country = $1', [consul])
  },

  async join(db, dice) {
    const [country, clan] = [await anyId(db, dice, 'country c', free), await anyId(db, dice, 'clan')]
    if (country === undefined || clan === undefined) return
    await db.query('delete from legions.petition where country = $1', [country])
    await db.query(
      `insert into legions.seat (country, clan, rank, since) values ($1, $2, 'citizen', now())`,
      [country, clan],
    )
  },

  async petition(db, dice) {
    const [country, clan] = [await anyId(db, dice, 'country c', free), await anyId(db, dice, 'clan')]
    if (country === undefined || clan === undefined) return
    await db.query(
      `insert into legions.petition (country, clan, handed_in) values ($1, $2, now())
       on conflict (country) do update set clan = excluded.clan, handed_in = excluded.handed_in`,
      [country, clan],
    )
  },

  async rise(db) {
    await db.query(
      `update legions.seat set rank = 'tribune' where country = (
         select country from legions.seat where rank = 'citizen' order by since, country limit 1)`,
    )
  },

  async leave(db, dice) {
    const member = await db.query<{ country: number }>(
      `select country from legions.seat where rank <> 'consul' order by country`,
    )
    const leaver = dice.pick(member.rows)
    if (leaver) await db.query('delete from legions.seat where country = $1', [leaver.country])
  },

  async sealPact(db, dice) {
    const one = await anyId(db, dice, 'clan')
    const other = one === undefined ? undefined : await anyId(db, dice, 'clan', `id <> ${one}`)
    if (other === undefined) return
    await db.query(`insert into legions.pact (one, other, kind, sealed) values ($1, $2, $3, now())`, [
      one,
      other,
      dice.pick(['brotherhood', 'truce']),
    ])
  },

  async march(db, dice) {
    const aggressor = await anyId(db, dice, 'country')
    const victim =
      aggressor === undefined ? undefined : await anyId(db, dice, 'country', `id <> ${aggressor}`)
    if (victim === undefined) return
    await db.query(
      'insert into legions.campaign (aggressor, victim, kind, cry, begun) values ($1, $2, $3, $4, now())',
      [aggressor, victim, dice.pick(['conquest', 'plunder']), `For ${nameFrom(dice)}!`],
    )
  },

  async clash(db, dice) {
    const campaign = await anyId(db, dice, 'campaign', 'finished is null')
    if (campaign === undefined) return
    await db.query(
      `insert into legions.clash (campaign, ground, fought, attacker, defender, won_by, attacker_dead, defender_dead)
       select id, $2, now(), aggressor, victim, $3, $4, $5 from legions.campaign where id = $1`,
      [
        campaign,
        dice.pick(['land', 'sea']),
        dice.pick(['attacker', 'defender', null]),
        lossesFrom(dice),
        lossesFrom(dice),
      ],
    )
  },

  async makePeace(db, dice) {
    const campaign = await anyId(db, dice, 'campaign', 'finished is null')
    if (campaign === undefined) return
    await db.query('update legions.campaign set finished = now(), won_by = $2 where id = $1', [
      campaign,
      dice.pick(['aggressor', 'victim', 'none']),
    ])
  },

  async train(db, dice) {
    const country = await anyId(db, dice, 'country')
    await db.query('update legions.legion set in_field = in_field + $3 where country = $1 and arm = $2', [
      country,
      dice.pick(arms),
      dice.roll(1, 30),
    ])
    await db.query('update legions.country set gold = gold + $2, glory = glory + 1.25 where id = $1', [
      country,
      dice.roll(-50, 500),
    ])
  },

  async trade(db, dice) {
    await db.query('update legions.bazaar set price = round(price * $2, 2), as_of = now() where good = $1', [
      dice.pick(goods),
      dice.roll(90, 112) / 100,
    ])
  },

  async rename(db, dice) {
    const country = await anyId(db, dice, 'country')
    await db.query('update legions.country set name = $2, motto = $3 where id = $1', [
      country,
      nameFrom(dice),
      `${nameFrom(dice)} for ever.`,
    ])
  },

  async cry(db, dice) {
    await db.query('insert into legions.herald (headline, story, cried) values ($1, $2, now())', [
      `${nameFrom(dice)} has spoken`,
      'The crowd left.',
    ])
  },

  /** Only a country that never fought can be deleted. */
  async goUnder(db, dice) {
    const country = await anyId(
      db,
      dice,
      'country c',
      `not exists (select from legions.campaign w where c.id in (w.aggressor, w.victim))
       and not exists (select from legions.seat s where s.country = c.id and s.rank = 'consul')`,
    )
    if (country !== undefined && dice.roll(1, 4) === 1)
      await db.query('delete from legions.country where id = $1', [country])
  },
}
