import assert from 'node:assert/strict'
import { type FactResource, factResources } from '@chancery/contract'
import type { Fact } from '../support/test-server.ts'

interface War {
  attacker: { nation_id: string; alliance_id: string | null }
  defender: { nation_id: string; alliance_id: string | null }
  status: string
  outcome: string | null
  conflict_id: string | null
  participants: Participant[]
}
interface Participant {
  side: SideName
  nation_id: string
  alliance_id: string | null
  joined_at?: string
  left_at?: string
}
type Units = Record<string, number>
interface Battle {
  war_id: string
  attacker_nation_id: string
  defender_nation_id: string
  victor: string | null
  losses: { attacker: Units; defender: Units }
}
type Data = Record<string, unknown>
type Read = <T>(path: string) => Promise<T>
type SideName = 'attacker' | 'defender'

const sides: SideName[] = ['attacker', 'defender']

/** A world in plain maps, from which every counter is computed. Its ids are sent with a prefix. */
export class CountedWorld {
  readonly #prefix: string
  readonly #nations = new Map<string, number>()
  readonly #alliances = new Set<string>()
  readonly #members = new Map<string, string>()
  readonly #wars = new Map<string, War>()
  readonly #battles = new Map<string, Battle>()
  readonly #conflicts = new Map<string, string[][]>()
  /** Ids that were ever put: facts may refer to them. */
  readonly #known = new Set<string>()

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** Applies the valid facts of a batch, and returns them with prefixed ids. */
  apply(batch: Fact[]): Fact[] {
    const applied = new Set<Fact>()
    for (const resource of factResources) {
      for (const fact of batch) {
        if (fact.resource === resource && this.#applyFact(resource, fact)) applied.add(fact)
      }
    }
    return batch.filter(fact => applied.has(fact)).map(fact => this.#prefixed(fact) as Fact)
  }

  #prefixed(value: unknown): unknown {
    if (typeof value === 'string') return /^[nawbc]\d$/.test(value) ? this.#prefix + value : value
    if (Array.isArray(value)) return value.map(item => this.#prefixed(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.#prefixed(member)]))
  }

  #applyFact(resource: FactResource, fact: Fact): boolean {
    if (fact.op === 'delete') {
      this.#delete(resource, String(fact.id))
      return true
    }
    const data = fact.data as Data
    const isApplied = this.#put(resource, data)
    if (isApplied && typeof data.id === 'string') this.#known.add(data.id)
    return isApplied
  }

  #delete(resource: FactResource, id: string): void {
    if (resource === 'nation') {
      this.#nations.delete(id)
      this.#members.delete(id)
    } else if (resource === 'alliance') {
      this.#alliances.delete(id)
      for (const [nation, alliance] of this.#members) if (alliance === id) this.#members.delete(nation)
    } else if (resource === 'alliance_member') {
      this.#members.delete(id)
    } else if (resource === 'war' && this.#wars.delete(id)) {
      for (const [battle, { war_id }] of this.#battles) if (war_id === id) this.#battles.delete(battle)
    } else if (resource === 'battle') {
      this.#battles.delete(id)
    } else if (resource === 'conflict') {
      this.#conflicts.delete(id)
    }
  }

  #put(resource: FactResource, data: Data): boolean {
    const id = String(data.id)
    const knows = (...ids: unknown[]) =>
      ids.every(one => one === null || one === undefined || this.#known.has(String(one)))
    switch (resource) {
      case 'nation':
        this.#nations.set(id, Number(data.national_score ?? this.#nations.get(id) ?? 0))
        return true
      case 'alliance':
        this.#alliances.add(id)
        return true
      case 'alliance_member': {
        const { nation_id, alliance_id } = data as { nation_id: string; alliance_id: string }
        if (!this.#nations.has(nation_id) || !this.#alliances.has(alliance_id)) return false
        this.#members.set(nation_id, alliance_id)
        return true
      }
      case 'conflict': {
        const sent = (data.sides as { alliances: { alliance_id: string }[] }[]).map(one =>
          one.alliances.map(({ alliance_id }) => alliance_id),
        )
        if (!knows(...sent.flat())) return false
        this.#conflicts.set(id, sent)
        return true
      }
      case 'war':
        return knows(data.conflict_id) && this.#putWar(id, data, knows)
      case 'battle': {
        const sent = data as Partial<Battle>
        const before = this.#battles.get(id)
        if (!before && sent.war_id === undefined) return false
        if (!knows(sent.war_id, sent.attacker_nation_id, sent.defender_nation_id)) return false
        const losses = {
          attacker: { ...before?.losses.attacker, ...sent.losses?.attacker },
          defender: { ...before?.losses.defender, ...sent.losses?.defender },
        }
        this.#battles.set(id, { ...before, ...sent, losses } as Battle)
        return true
      }
      default:
        return false
    }
  }

  #putWar(id: string, data: Data, knows: (...ids: unknown[]) => boolean): boolean {
    const before = this.#wars.get(id)
    const war = { status: 'active', outcome: null, conflict_id: null, participants: [], ...before } as War
    for (const name of sides) {
      const sent = data[name] as { nation_id?: string; alliance_id?: string | null } | undefined
      if (!knows(sent?.nation_id, sent?.alliance_id)) return false
      const known = before?.[name]
      const nation_id = sent?.nation_id ?? known?.nation_id
      if (nation_id === undefined) return false
      const isSame = known?.nation_id === nation_id
      const alliance_id = isSame ? known.alliance_id : (this.#members.get(nation_id) ?? null)
      war[name] = { nation_id, alliance_id: sent?.alliance_id === undefined ? alliance_id : sent.alliance_id }
    }
    // A war of a nation on itself is rejected.
    if (war.attacker.nation_id === war.defender.nation_id) return false
    if (data.participants) war.participants = this.#participantsOf(data.participants as Participant[], before)
    if (!areDistinct(war)) return false
    for (const field of ['status', 'outcome', 'conflict_id'] as const) {
      if (field in data) Object.assign(war, { [field]: data[field] })
    }
    this.#wars.set(id, war)
    return true
  }

  /** A participant that stays keeps its alliance: that of the same start, else the one that is not given again. */
  #participantsOf(sent: Participant[], before: War | undefined): Participant[] {
    const startOf = ({ side, nation_id, joined_at }: Participant) => `${side} ${nation_id} ${joined_at}`
    const isOfSame = (one: Participant, other: Participant) =>
      one.side === other.side && one.nation_id === other.nation_id
    const known = before?.participants ?? []
    const starts = new Set(sent.map(startOf))
    return sent.map(given => {
      const same =
        known.find(one => startOf(one) === startOf(given)) ??
        known.find(one => isOfSame(one, given) && !starts.has(startOf(one)))
      const current = this.#members.get(given.nation_id) ?? null
      return { ...given, alliance_id: same ? same.alliance_id : current }
    })
  }

  /** Reads every counter, and compares. */
  async compare(read: Read): Promise<void> {
    const at = (path: string, id: string) =>
      read<{ data: Data }>(`/${path}/${this.#prefix}${id}`).then(({ data }) => data)
    for (const id of this.#nations.keys()) {
      assert.deepEqual((await at('nations', id)).wars, this.#warsOfNation(id), id)
    }
    for (const id of this.#alliances) {
      const { member_count, total_score, average_score, wars } = await at('alliances', id)
      const { exact_average, ...numbers } = this.#numbersOfAlliance(id)
      assert.deepEqual({ member_count, total_score, wars }, numbers, id)
      assert.ok(Math.abs(Number(average_score) - exact_average) < 0.000_051, id)
      assert.equal(Number(Number(average_score).toFixed(4)), average_score, id)
    }
    for (const id of this.#wars.keys()) {
      const { battles_count, losses, status } = await at('wars', id)
      const { won: _, ...numbers } = this.#numbersOfWar(id)
      assert.deepEqual(
        { battles_count, losses, status },
        { ...numbers, status: this.#wars.get(id)?.status },
        id,
      )
      const { data: battles } = await read<{ data: unknown[] }>(
        `/wars/${this.#prefix}${id}/battles?limit=100`,
      )
      assert.equal(battles.length, numbers.battles_count)
    }
    const { data: conflicts } = await read<{ data: Data[] }>('/global-conflicts?limit=100')
    for (const id of this.#conflicts.keys()) {
      const found = conflicts.find(conflict => conflict.id === this.#prefix + id)
      assert.ok(found)
      const numbers = (found.sides as Data[]).map(({ nation_count, battles_won, losses }) => ({
        nation_count,
        battles_won,
        losses,
      }))
      const { wars, battles_count } = found
      assert.deepEqual({ wars, battles_count, sides: numbers }, this.#numbersOfConflict(id), id)
    }
  }

  #warsOfNation(id: string) {
    const counts = { active_offensive: 0, active_defensive: 0, won: 0, lost: 0 }
    for (const { attacker, defender, status, outcome } of this.#wars.values()) {
      const role = attacker.nation_id === id ? 'attacker' : defender.nation_id === id ? 'defender' : undefined
      if (!role) continue
      if (status === 'active') counts[role === 'attacker' ? 'active_offensive' : 'active_defensive'] += 1
      else if (outcome === `${role}_victory`) counts.won += 1
      else if (outcome?.endsWith('_victory')) counts.lost += 1
    }
    return counts
  }

  #numbersOfAlliance(id: string) {
    const members = [...this.#members].filter(([, alliance]) => alliance === id)
    const total = members.reduce(
      (sum, [nation]) => sum + Math.round((this.#nations.get(nation) ?? 0) * 10_000),
      0,
    )
    const count = members.length
    const exact_average = count === 0 ? 0 : total / 10_000 / count
    const wars = { active: 0, won: 0, lost: 0 }
    for (const { attacker, defender, status, outcome } of this.#wars.values()) {
      const roles = [attacker, defender].map(({ alliance_id }) => alliance_id === id)
      if (!roles.includes(true)) continue
      if (status === 'active') wars.active += 1
      else if (outcome?.endsWith('_victory')) {
        const [winner, loser] = outcome === 'attacker_victory' ? roles : roles.toReversed()
        if (winner) wars.won += 1
        if (loser) wars.lost += 1
      }
    }
    return { member_count: count, total_score: total / 10_000, exact_average, wars }
  }

  #numbersOfWar(id: string) {
    const war = this.#wars.get(id)
    assert.ok(war)
    const losses: Record<SideName, Units> = { attacker: {}, defender: {} }
    const won = { attacker: 0, defender: 0 }
    const battles = [...this.#battles.values()].filter(({ war_id }) => war_id === id)
    for (const battle of battles) {
      const { attacker_nation_id: first, defender_nation_id: second } = battle
      const [attacks, defends] = [war.attacker.nation_id, war.defender.nation_id]
      const joinedAs = (id: string) => {
        const found = war.participants.filter(({ nation_id }) => nation_id === id)
        return (found.find(({ left_at }) => left_at === undefined) ?? found[0])?.side
      }
      const isReversed = [attacks, defends].some(id => id === first || id === second)
        ? first === defends || (first !== attacks && second === attacks)
        : (joinedAs(first) ?? (joinedAs(second) === 'attacker' ? 'defender' : 'attacker')) === 'defender'
      const role = (name: SideName): SideName =>
        isReversed ? (name === 'attacker' ? 'defender' : 'attacker') : name
      for (const name of sides) {
        addUnits(losses[role(name)], battle.losses[name])
        if (battle.victor === name) won[role(name)] += 1
      }
    }
    return { battles_count: battles.length, losses, won }
  }

  #numbersOfConflict(id: string) {
    const wars = [...this.#wars].filter(([, { conflict_id }]) => conflict_id === id)
    const numbers = new Map(wars.map(([war]) => [war, this.#numbersOfWar(war)]))
    return {
      wars: { active: wars.filter(([, { status }]) => status === 'active').length, total: wars.length },
      battles_count: [...numbers.values()].reduce((sum, { battles_count }) => sum + battles_count, 0),
      sides: (this.#conflicts.get(id) ?? []).map(alliances => {
        const nations = new Set<string>()
        const losses: Units = {}
        let battles_won = 0
        for (const [warId, war] of wars) {
          for (const name of sides) {
            const { nation_id, alliance_id } = war[name]
            if (alliance_id === null || !alliances.includes(alliance_id)) continue
            nations.add(nation_id)
            battles_won += numbers.get(warId)?.won[name] ?? 0
            addUnits(losses, numbers.get(warId)?.losses[name] ?? {})
          }
          for (const { nation_id, alliance_id } of war.participants)
            if (alliance_id !== null && alliances.includes(alliance_id)) nations.add(nation_id)
        }
        return { nation_count: nations.size, battles_won, losses }
      }),
    }
  }
}

/** Whether no nation takes part twice at one time. */
const areDistinct = ({ attacker, defender, participants }: War): boolean =>
  participants.every(
    ({ nation_id, joined_at, left_at }, index) =>
      nation_id !== attacker.nation_id &&
      nation_id !== defender.nation_id &&
      participants
        .slice(0, index)
        .every(
          other =>
            other.nation_id !== nation_id ||
            (joined_at !== undefined && other.left_at !== undefined) ||
            (left_at !== undefined && other.joined_at !== undefined),
        ),
  )

function addUnits(sum: Units, units: Units): void {
  for (const [unit, lost] of Object.entries(units)) sum[unit] = (sum[unit] ?? 0) + lost
}
