import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run } from './command.ts'
import { type Table, writeTables } from './small-tables.ts'

const oddRows: { table: Table; from: string; to: string; says: string }[] = [
  { table: 'battle_actors.csv', from: ',actor', to: ',who', says: '1: no column actor' },
  { table: 'battle_actors.csv', from: '1,1,1,Northland', to: '1,1,1,', says: '2: actor is empty' },
  {
    table: 'battle_actors.csv',
    from: '1,1,1,Northland',
    to: `1,1,1,${'N'.repeat(101)}`,
    says: '2: actor is longer than 100 characters',
  },
  { table: 'battle_actors.csv', from: '1,1,1,Northland', to: '1,1,1', says: '2: Invalid Record Length' },
  { table: 'local_wars.csv', from: '"HILL, LOWER"', to: '"HILL"X', says: '4: Invalid Closing Quote' },
  { table: 'local_wars.csv', from: 'Long War', to: '', says: '3: war4 is empty' },
  { table: 'local_wars.csv', from: '2,THE', to: '1,THE', says: '3: battle 1 has a row in local_wars.csv' },
  { table: 'local_wars.csv', from: '2,THE', to: 'two,THE', says: '3: unexpected isqno: "two"' },
  {
    table: 'local_wars.csv',
    from: '2,THE FORD,Long War\n',
    to: '',
    says: 'battle 2 is not in local_wars.csv',
  },
  {
    table: 'battle_dyads.csv',
    from: 'Île Verte,Northland,',
    to: 'Atlantis,Northland,',
    says: '5: attacker "Atlantis" is not in battle_actors.csv',
  },
  {
    table: 'battle_dyads.csv',
    from: '2,Northland,Île Verte,,0',
    to: '2,Northland,Île Verte,,1',
    says: '4: battle 2 has a primary row in battle_dyads.csv already',
  },
  { table: 'battle_dyads.csv', from: ',,0', to: ',,no', says: '4: unexpected primary: "no"' },
  { table: 'battle_dyads.csv', from: ',,1', to: ',,0', says: '3: battle 2 lacks a primary row' },
  { table: 'belligerents.csv', from: '2,0,40', to: '2,0,-40', says: '5: unexpected cas: "-40"' },
  { table: 'belligerents.csv', from: '2,0,40', to: '2,0,9007199254740992', says: '5: unexpected cas' },
  { table: 'belligerents.csv', from: '2,0,40\n', to: '', says: '3: battle 2 lacks a defender' },
  { table: 'battle_durations.csv', from: '05-01T', to: '02-29T', says: '2: unexpected datetime_min' },
  { table: 'battle_durations.csv', from: '3,\n', to: '', says: '4: battle 3 lacks a row' },
  { table: 'source_CDB90-patched.csv', from: '-9', to: '2', says: '3: unexpected WINA: "2"' },
  {
    table: 'source_CDB90-patched.csv',
    from: '1699,11,30',
    to: '9999,99,99',
    says: '4: ATPBYR1, ATPBMN1 and ATPBDA1 are not a day: 9999-99-99',
  },
]

for (const { table, from, to, says } of oddRows) {
  test(`an odd row ends it with its place and no fact: ${table}:${says}`, t => {
    const directory = writeTables(t, (name, text) => {
      if (name !== table) return text
      assert.ok(text.includes(from))
      return text.replace(from, to)
    })
    const { status, stdout, stderr } = run(directory)
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^[^\n]+\.csv:\d+: [^\n]+\n$/)
    assert.ok(stderr.includes(says), stderr)
  })
}

test('bytes that are not UTF-8 are refused, not replaced', t => {
  const directory = writeTables(t)
  const path = join(directory, 'battle_actors.csv')
  writeFileSync(path, readFileSync(path, 'utf8'), 'latin1')
  assert.deepEqual(run(directory), { status: 1, stdout: '', stderr: `${path}: not UTF-8\n` })
})

test('a directory that is not there is named', () => {
  const { status, stdout, stderr } = run('no-such-directory')
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^no-such-directory[^\n]*: no such [^\n]+\n$/)
})

test('anything but one directory is wrong usage', () => {
  for (const args of [[], [''], ['--help'], ['one', 'two']]) {
    const { status, stdout, stderr } = run(...args)
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /^usage: [^\n]+\n$/)
  }
})
