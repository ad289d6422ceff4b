import type { Batch } from '../../store/batch.ts'
import type { Transition } from '../../store/changes.ts'
import { sql } from '../../store/database.ts'

/** A nation that came to an alliance or left it. */
export interface MembershipStep {
  nation_id: string
  alliance_id: string
  /** 1 for who came, -1 for who left. */
  step: 1 | -1
}

/**
 * Keeps member_count and total_score in step with what a chunk of facts changed, by adding differences: a large alliance
 * costs no more than a small one. The sums are exact decimals, so they never drift.
 */
export async function addMembershipSteps({ db }: Batch, steps: MembershipStep[]): Promise<void> {
  if (steps.length === 0) return
  await db.rows(sql`
    with difference as (
      select s.alliance_id, sum(s.step) as members, sum(s.step * n.national_score) as score
      from unnest(${steps.map(step => step.nation_id)}::text[], ${steps.map(step => step.alliance_id)}::text[],
        ${steps.map(step => step.step)}::integer[]) as s (nation_id, alliance_id, step)
      join chancery_world.nation n on n.id = s.nation_id
      group by s.alliance_id
    )
    update chancery_world.alliance a set member_count = a.member_count + d.members, total_score = a.total_score + d.score
    from difference d where a.id = d.alliance_id`)
}

/** The same for members whose score changed while they stayed. */
export async function addScoreChanges(
  { db }: Batch,
  transitions: Transition<{ national_score: number }>[],
): Promise<void> {
  const changed = transitions.flatMap(({ key, before, after }) =>
    before && after && before.national_score !== after.national_score
      ? [{ key, from: before.national_score, to: after.national_score }]
      : [],
  )
  if (changed.length === 0) return
  await db.rows(sql`
    with difference as (
      select m.alliance_id, sum(c.score_now - c.score_before) as score
      from unnest(${changed.map(({ key }) => key)}::text[], ${changed.map(({ from }) => from)}::numeric[],
        ${changed.map(({ to }) => to)}::numeric[]) as c (nation_id, score_before, score_now)
      join chancery_world.alliance_member m on m.nation_id = c.nation_id
      group by m.alliance_id
    )
    update chancery_world.alliance a set total_score = a.total_score + d.score
    from difference d where a.id = d.alliance_id`)
}
