import type { Battle } from './battles.ts'
import { slugsOf } from './slugs.ts'

export interface PutFact {
  op: 'put'
  resource: 'nation' | 'conflict' | 'war' | 'battle'
  data: Record<string, unknown>
  /** When it happened. Omitted if a fact has two times, or none. */
  at?: string
}

export interface CommitFact {
  op: 'commit'
  batch: string
  announce: boolean
}

export type Fact = PutFact | CommitFact

/** The facts of all tables as one batch, each after the facts that it refers to. `allBattles` are in chronological order. */
export function factsOf(nations: ReadonlySet<string>, allBattles: readonly Battle[]): Fact[] {
  const conflicts = spansBy(allBattles, battle => battle.conflictName)
  // A war has two nations: a battle of a nation against itself belongs to none.
  const battles = allBattles.filter(({ attacker, defender }) => attacker !== defender)
  const wars = spansBy(battles, warName)
  const nationId = slugsOf(nations)
  const conflictId = slugsOf(conflicts.map(conflict => conflict.name))
  const warId = slugsOf(wars.map(war => war.name))
  const battleId = slugsOf(battles.map(battleName))

  return [
    ...Array.from(nations, name => put('nation', { id: nationId(name), nation_name: name })),
    ...conflicts.map(({ name, first, last }) =>
      put('conflict', {
        id: conflictId(name),
        name,
        status: 'ended',
        started_at: first.foughtAt,
        ended_at: last.foughtAt,
      }),
    ),
    ...wars.map(({ name, first, last }) =>
      put('war', {
        id: warId(name),
        status: 'ended',
        attacker: { nation_id: nationId(first.attacker) },
        defender: { nation_id: nationId(first.defender) },
        declared_at: first.foughtAt,
        ended_at: last.foughtAt,
        conflict_id: conflictId(first.conflictName),
      }),
    ),
    ...battles.map(battle => ({
      ...put('battle', {
        id: battleId(battleName(battle)),
        war_id: warId(warName(battle)),
        fought_at: battle.foughtAt,
        attacker_nation_id: nationId(battle.attacker),
        defender_nation_id: nationId(battle.defender),
        victor: battle.victor,
        losses: {
          ...lossesOf('attacker', battle.attackerLosses),
          ...lossesOf('defender', battle.defenderLosses),
        },
      }),
      at: battle.foughtAt,
    })),
    // History is not announced: no webhook is called.
    { op: 'commit', batch: 'cdb90-1', announce: false },
  ]
}

const put = (resource: PutFact['resource'], data: PutFact['data']): PutFact => ({ op: 'put', resource, data })

const warName = (battle: Battle) => `${battle.conflictName} / ${battle.pair}`

/** Names of battles repeat; their numbers do not. */
const battleName = (battle: Battle) => `${battle.name} ${battle.number}`

const lossesOf = (side: 'attacker' | 'defender', soldiers: number | null) =>
  soldiers === null ? {} : { [side]: { soldiers } }

/** The first and the last battle of a conflict or a war. */
interface Span {
  name: string
  first: Battle
  last: Battle
}

/** Groups battles, which are in chronological order, by a name. */
function spansBy(battles: readonly Battle[], nameOf: (battle: Battle) => string): Span[] {
  const spans = new Map<string, Span>()
  for (const battle of battles) {
    const name = nameOf(battle)
    const span = spans.get(name)
    if (span) span.last = battle
    else spans.set(name, { name, first: battle, last: battle })
  }
  return [...spans.values()]
}
