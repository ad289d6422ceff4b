import { withConnection } from '../support/database-url.ts'

/** Lets the log go on above so many numbers that nobody gets, as after a restore. Returns the first number that comes. */
export function leaveGap(databaseUrl: string, numbers: number): Promise<number> {
  return withConnection(databaseUrl, async client => {
    const { rows } = await client.query<{ first: string }>(
      `with before as (select seq from chancery_world.pulse),
        gap as (insert into chancery_world.log_gap (last_before, first_after) select seq, seq + $1 + 1 from before returning first_after)
      update chancery_world.pulse p set seq = g.first_after - 1, world_version = world_version + 1
      from gap g returning g.first_after as first`,
      [numbers],
    )
    return Number(rows[0]?.first)
  })
}
