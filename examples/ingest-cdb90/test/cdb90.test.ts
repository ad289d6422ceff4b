import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { run } from './command.ts'
import { readFacts } from './fact-reader.ts'

/** The real tables, if they are beside the repository. */
const directory = fileURLToPath(new URL('../../../../shared/data/cdb90', import.meta.url))
const skip = existsSync(directory) ? false : 'the CDB90 tables are not here'

describe('the real tables', { skip }, () => {
  let first: ReturnType<typeof run>
  before(() => {
    first = run(directory)
  })

  test('become valid facts, each after the facts that it refers to', () => {
    assert.deepEqual([first.status, first.stderr], [0, ''])
    const { put } = readFacts(first.stdout)
    assert.deepEqual([put.nation.size, put.conflict.size, put.war.size, put.battle.size], [54, 64, 119, 657])
  })

  test('have 395 victories of attackers, 217 of defenders, 43 draws, 2 unknown', () => {
    const battles = [...readFacts(first.stdout).put.battle.values()]
    const wonBy = (victor: string | null) => battles.filter(battle => battle.victor === victor).length
    assert.deepEqual([wonBy('attacker'), wonBy('defender'), wonBy('draw'), wonBy(null)], [395, 217, 43, 2])
  })

  test('omit the losses of the 10 sides without any', () => {
    const battles = [...readFacts(first.stdout).put.battle.values()]
    const sides = battles.flatMap(({ losses }) => Object.keys(losses ?? {}))
    assert.equal(sides.length, 2 * 657 - 10)
  })

  test('date the two battles without a time by their day', () => {
    const { put } = readFacts(first.stdout)
    const dated = [...put.battle].filter(([id]) => /-(429|435)$/.test(id))
    assert.deepEqual(
      dated.map(([, battle]) => battle.fought_at),
      ['1944-02-08T00:00:00Z', '1944-05-11T00:00:00Z'],
    )
  })

  test('keep every nation and name as written', () => {
    const { put } = readFacts(first.stdout)
    assert.equal(put.nation.get('dutch-republic')?.nation_name, 'Dutch Republic')
    assert.equal(put.conflict.get('world-war-ii-of-1939-194')?.name, 'World War II of 1939-194')
    assert.equal(
      put.conflict.get('second-bolivar-expedition-of-1821-1822')?.name,
      'Second Bolívar Expedition of 1821-1822',
    )
  })

  test('give the same bytes again', () => {
    assert.equal(run(directory).stdout, first.stdout)
  })
})
