import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { contractFor, factResources, parseProfile } from '@chancery/contract'
import { throwDice } from '../src/dice.ts'

const read = (file: string) => readFile(new URL(`../${file}`, import.meta.url), 'utf8')

test('the profile of the game is valid, and unrest is private to the player', async () => {
  const { resources } = contractFor(parseProfile(await read('profile.json')))
  const { properties } = resources.nation.fields.attributes as unknown as {
    properties: Record<string, { 'x-class': string }>
  }
  assert.equal(properties.unrest?.['x-class'], 'player_private')
})

test('each view and each trigger is for a resource of the contract', async () => {
  const views = [...(await read('sql/views.sql')).matchAll(/create view chancery_out\.(\w+)/g)]
  const triggers = [...(await read('sql/triggers.sql')).matchAll(/publish_table\('legions\.\w+', '(\w+)'/g)]
  const known = new Set<string>(factResources)
  const named = new Set(views.map(([, name = '']) => name))
  assert.ok(named.size > 0)
  assert.deepEqual(
    [...named].filter(name => !known.has(name)),
    [],
  )
  assert.deepEqual(new Set(triggers.map(([, name = '']) => name)), named)
})

test('dice are the same for the same seed, and within their bounds', () => {
  const rolls = (seed: number) => {
    const dice = throwDice(seed)
    return Array.from({ length: 200 }, () => dice.roll(1, 6))
  }
  assert.deepEqual(rolls(7), rolls(7))
  assert.notDeepEqual(rolls(7), rolls(8))
  assert.deepEqual([...new Set(rolls(7))].sort(), [1, 2, 3, 4, 5, 6])
  assert.equal(throwDice(1).pick([]), undefined)
})
