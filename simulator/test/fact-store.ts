import type { Batch, Fact } from '../src/index.ts'

type Row = Record<string, unknown>

/** The rows of every resource after applying facts, merged as the service merges them. */
export class FactStore {
  readonly rows = new Map<string, Map<string, Row>>()

  of(resource: string): Map<string, Row> {
    const known = this.rows.get(resource) ?? new Map<string, Row>()
    this.rows.set(resource, known)
    return known
  }

  apply(batch: Batch) {
    for (const fact of batch.facts) this.#applyFact(fact)
  }

  #applyFact(fact: Fact) {
    if (fact.op === 'delete') this.of(fact.resource).delete(fact.id)
    if (fact.op !== 'put') return
    const data: Row = { ...fact.data }
    const key = String(data[keys[fact.resource] ?? 'id'])
    this.of(fact.resource).set(key, { ...this.of(fact.resource).get(key), ...data })
  }
}

const keys: Record<string, string> = {
  alliance_member: 'nation_id',
  alliance_application: 'nation_id',
  market_price: 'resource',
}
