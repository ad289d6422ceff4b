import type { Fact } from '../support/test-server.ts'

export interface ModelNation {
  id: string
  name: string
  leader: string
  score: number
  status: string
  alliance: string | null
}

/** Filters of /nations; of search the text as it is asked for. */
export interface NationFilter {
  search?: string
  ids?: string[]
  alliance_id?: string[]
  status?: string
  min_score?: number
  max_score?: number
}

const folded = (text: string) => text.normalize('NFKC').toLowerCase()

/** The nations that a test has told of, and what lists must say of them. */
export class NationModel {
  readonly nations = new Map<string, ModelNation>()

  /** Takes facts about nations and memberships down, and returns them for the door. */
  take(facts: Fact[]): Fact[] {
    for (const { op, resource, id, data } of facts as {
      op: string
      resource: string
      id: string
      data: never
    }[])
      if (op === 'delete') this.#remove(resource, id)
      else this.#put(resource, data)
    return facts
  }

  #remove(resource: string, id: string): void {
    const nation = this.nations.get(id)
    if (resource === 'nation') this.nations.delete(id)
    else if (nation) nation.alliance = null
  }

  #put(resource: string, data: Record<string, string & number>): void {
    if (resource === 'alliance_member') {
      const member = this.nations.get(`${data.nation_id}`)
      if (member) member.alliance = `${data.alliance_id}`
      return
    }
    const { id = '', nation_name, leader_name, national_score, status } = data
    const before = this.nations.get(id) ?? {
      id,
      name: '',
      leader: '',
      score: 0,
      status: 'active',
      alliance: null,
    }
    this.nations.set(id, {
      ...before,
      name: nation_name ?? before.name,
      leader: leader_name ?? before.leader,
      score: national_score ?? before.score,
      status: status ?? before.status,
    })
  }

  /** Ids that a filter selects, in the order of their places; without places in that of a ranking round that has seen all. */
  select(
    { search, ids, alliance_id, status, min_score, max_score }: NationFilter,
    places?: ReadonlyMap<string, number>,
  ): string[] {
    const text = search === undefined ? undefined : folded(search)
    const tierOf = ({ name }: ModelNation) =>
      text === undefined || folded(name) === text ? 0 : folded(name).startsWith(text) ? 1 : 2
    const placeOf = ({ id }: ModelNation) => places?.get(id) ?? 0
    return [...this.nations.values()]
      .filter(
        nation =>
          (text === undefined ||
            folded(nation.name).includes(text) ||
            folded(nation.leader).includes(text)) &&
          (ids?.includes(nation.id) ?? true) &&
          (alliance_id?.includes(nation.alliance ?? '') ?? true) &&
          (status ?? nation.status) === nation.status &&
          nation.score >= (min_score ?? 0) &&
          nation.score <= (max_score ?? Number.MAX_SAFE_INTEGER),
      )
      .sort(
        (one, other) =>
          tierOf(one) - tierOf(other) ||
          placeOf(one) - placeOf(other) ||
          other.score - one.score ||
          (one.id < other.id ? -1 : 1),
      )
      .map(({ id }) => id)
  }
}
