import assert from 'node:assert/strict'
import { type Event, eventsList, nationsGet, nationsList } from '../generated/orval.js'

const list = await nationsList({ limit: 3 })
assert.ok(list.status === 200)
const ids = list.data.data.map(nation => nation.id)
assert.equal(ids.length, 3)

const [id = ''] = ids
const one = await nationsGet(id)
assert.ok(one.status === 200)
const score: number = one.data.data.national_score
assert.ok(score >= 0)

const chosen = await nationsList({ ids })
assert.ok(chosen.status === 200)
assert.equal(chosen.data.pagination.total, 3)

const types = new Map<string, string>()
function note(event: Event): void {
  if (event.type === 'war.declared') {
    const { attacker, defender } = event.data
    types.set(event.type, `${attacker.nation_name} against ${defender.nation_name}`)
  } else if (event.type === 'nation.founded') {
    types.set(event.type, event.data.nation.nation_name)
    // @ts-expect-error: data of another type
    assert.equal(event.data.attacker, undefined)
  }
}
for (const type of ['war.declared', 'nation.founded']) {
  const events = await eventsList({ type: [type], limit: 5 })
  assert.ok(events.status === 200)
  events.data.data.forEach(note)
}
assert.deepEqual([...types.keys()], ['war.declared', 'nation.founded'])

const missing = await nationsGet('none')
assert.ok(missing.status === 404)
assert.equal(missing.data.error.code, 'not_found')
