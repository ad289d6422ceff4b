import assert from 'node:assert/strict'
import { client } from '../generated/hey-api/client.gen.js'
import { eventsList, nationsGet, nationsList } from '../generated/hey-api/sdk.gen.js'
import type { Event } from '../generated/hey-api/types.gen.js'

client.setConfig({ baseUrl: `${process.env.API_URL}/api/v1` })

const list = await nationsList({ query: { limit: 3 } })
const ids = (list.data?.data ?? []).map(nation => nation.id)
assert.equal(ids.length, 3)

const [id = ''] = ids
const one = await nationsGet({ path: { id } })
const score: number | undefined = one.data?.data.national_score
assert.ok(score !== undefined)

const chosen = await nationsList({ query: { ids } })
assert.equal(chosen.data?.pagination.total, 3)

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
  const events = await eventsList({ query: { type: [type], limit: 5 } })
  events.data?.data.forEach(note)
}
assert.deepEqual([...types.keys()], ['war.declared', 'nation.founded'])

const missing = await nationsGet({ path: { id: 'none' } })
assert.equal(missing.response?.status, 404)
assert.equal(missing.error?.error.code, 'not_found')
