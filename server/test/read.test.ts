import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useTestServer } from './support/fixture.ts'

const chancery = useTestServer()

test('a nation that the game sends is public', async () => {
  await chancery.ingest([{ op: 'put', resource: 'nation', data: { id: 'n1', nation_name: 'Valdoria' } }])
  const { data } = await chancery.read<{ data: { nation_name: string; rank: number } }>('/nations/n1')
  assert.equal(data.nation_name, 'Valdoria')
  assert.equal(data.rank, 1)
})
