import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from './command.ts'
import { readFacts } from './fact-reader.ts'
import { tables, writeTables } from './small-tables.ts'

const commitLine = '{"op":"commit","batch":"cdb90-1","announce":false}'

test('a war lasts from its first battle to its last, with the attacker of the first', t => {
  const { put } = readFacts(run(writeTables(t)).stdout)
  assert.deepEqual(Object.fromEntries(put.war), {
    'war-of-the-fords-northland-ile-verte': {
      id: 'war-of-the-fords-northland-ile-verte',
      status: 'ended',
      attacker: { nation_id: 'ile-verte' },
      defender: { nation_id: 'northland' },
      declared_at: '1699-11-30T00:00:00Z',
      ended_at: '1700-05-01T06:30:00Z',
      conflict_id: 'war-of-the-fords',
    },
    'long-war-coalitions': {
      id: 'long-war-coalitions',
      status: 'ended',
      attacker: { nation_id: 'northland' },
      defender: { nation_id: 'southland' },
      declared_at: '1710-08-09T00:00:00Z',
      ended_at: '1710-08-09T00:00:00Z',
      conflict_id: 'long-war',
    },
  })
})

test('a battle has its own attacker, its victor, and the known losses', t => {
  const { put } = readFacts(run(writeTables(t)).stdout)
  assert.deepEqual(
    [...put.battle.values()],
    [
      {
        id: 'hill-lower-3',
        war_id: 'war-of-the-fords-northland-ile-verte',
        fought_at: '1699-11-30T00:00:00Z',
        attacker_nation_id: 'ile-verte',
        defender_nation_id: 'northland',
        victor: 'attacker',
        losses: { defender: { soldiers: 7 } },
      },
      {
        id: 'the-ford-1',
        war_id: 'war-of-the-fords-northland-ile-verte',
        fought_at: '1700-05-01T06:30:00Z',
        attacker_nation_id: 'northland',
        defender_nation_id: 'ile-verte',
        victor: 'defender',
        losses: { attacker: { soldiers: 100 }, defender: { soldiers: 250 } },
      },
      {
        id: 'the-ford-2',
        war_id: 'long-war-coalitions',
        fought_at: '1710-08-09T00:00:00Z',
        attacker_nation_id: 'northland',
        defender_nation_id: 'southland',
        victor: null,
        losses: { attacker: { soldiers: 0 }, defender: { soldiers: 40 } },
      },
    ],
  )
})

test('nations and conflicts have their name and times, and no fields that the tables lack', t => {
  const { put } = readFacts(run(writeTables(t)).stdout)
  assert.deepEqual(
    [...put.nation.values()],
    [
      { id: 'northland', nation_name: 'Northland' },
      { id: 'southland', nation_name: 'Southland' },
      { id: 'ile-verte', nation_name: 'Île Verte' },
    ],
  )
  assert.deepEqual(
    [...put.conflict.values()],
    [
      {
        id: 'war-of-the-fords',
        name: 'War of the Fords',
        status: 'ended',
        started_at: '1699-11-30T00:00:00Z',
        ended_at: '1700-05-01T06:30:00Z',
      },
      {
        id: 'long-war',
        name: 'Long War',
        status: 'ended',
        started_at: '1710-08-09T00:00:00Z',
        ended_at: '1710-08-09T00:00:00Z',
      },
    ],
  )
})

test('all facts are one batch of history that is not announced', t => {
  const { commits, lastLine } = readFacts(run(writeTables(t)).stdout)
  assert.deepEqual([commits, lastLine], [[commitLine], commitLine])
})

test('the order of rows does not change a byte, even for battles at the same time', t => {
  const atOneTime = (text: string) => text.replace('1710-08-09T00:00:00', '1700-05-01T06:30:00')
  const straight = writeTables(t, (_, text) => atOneTime(text))
  const reversed = writeTables(t, (_, text) => {
    const [header, ...rows] = atOneTime(text).trimEnd().split('\n')
    return [header, ...rows.reverse(), ''].join('\n')
  })
  assert.equal(run(reversed).stdout, run(straight).stdout)
})

test('Windows line ends and a byte order mark do not change a byte', t => {
  const fromWindows = writeTables(t, (table, text) => {
    const mark = table === 'source_CDB90-patched.csv' ? '' : '\uFEFF'
    return mark + text.replaceAll('\n', '\r\n')
  })
  assert.equal(run(fromWindows).stdout, run(writeTables(t)).stdout)
})

test('every table is required', t => {
  for (const absent of tables) {
    const directory = writeTables(t, (table, text) => (table === absent ? null : text))
    assert.deepEqual(run(directory), {
      status: 1,
      stdout: '',
      stderr: `${directory}/${absent}: no such file\n`,
    })
  }
})
