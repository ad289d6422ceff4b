import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run } from './command.ts'
import { type Table, writeTables } from './small-tables.ts'

const invalidRows: { table: Table; from: string; to: string; message: string }[] = [
  { table: 'battle_actors.csv', from: ',actor', to: ',who', message: '1: no column actor' },
  { table: 'battle_actors.csv', from: '1,1,1,Northland', to: '1,1,1,', message: '2: actor is empty' },
  {
    table: 'battle_actors.csv',
    from: '1,1,1,Northland',
    to: `1,1,1,${'N'.repeat(101)}`,
    message: '2: actor is longer than 100 characters',
  },
  { table: 'battle_actors.csv', from: '1,1,1,Northland', to: '1,1,1', message: '2: Invalid Record Length' },
  { table: 'local_wars.csv', from: '"HILL, LOWER"', to: '"HILL"X', message: '4: Invalid Closing Quote' },
  { table: 'local_wars.csv', from: 'Long War', to: '', message: '3: war4 is empty' },
  { table: 'local_wars.csv', from: '2,THE', to: '1,THE', message: '3: battle 1 has a row in local_wars.csv' },
  { table: 'local_wars.csv', from: '2,THE', to: 'two,THE', message: '3: unexpected isqno: "two"' },
  {
    table: 'local_wars.csv',
    from: '2,THE FORD,Long War\n',
    to: '',
    message: 'battle 2 is not in local_wars.csv',
  },
  {
    table: 'battle_dyads.csv',
    from: 'Île Verte,Northland,',
    to: 'Atlantis,Northland,',
    message: '5: attacker "Atlantis" is not in battle_actors.csv',
  },
  {
    table: 'battle_dyads.csv',
    from: '2,Northland,Île Verte,,0',
    to: '2,Northland,Île Verte,,1',
    message: '4: battle 2 has a primary row in battle_dyads.csv already',
  },
  { table: 'battle_dyads.csv', from: ',,0', to: ',,no', message: '4: unexpected primary: "no"' },
  { table: 'battle_dyads.csv', from: ',,1', to: ',,0', message: '3: battle 2 lacks a primary row' },
  { table: 'belligerents.csv', from: '2,0,40', to: '2,0,-40', message: '5: unexpected cas: "-40"' },
  { table: 'belligerents.csv', from: '2,0,40', to: '2,0,9007199254740992', message: '5: unexpected cas' },
  { table: 'belligerents.csv', from: '2,0,40\n', to: '', message: '3: battle 2 lacks a defender' },
  { table: 'battle_durations.csv', from: '05-01T', to: '02-29T', message: '2: unexpected datetime_min' },
  { table: 'battle_durations.csv', from: '3,\n', to: '', message: '4: battle 3 lacks a row' },
  { table: 'source_CDB90-patched.csv', from: '-9', to: '2', message: '3: unexpected WINA: "2"' },
  {
    table: 'source_CDB90-patched.csv',
    from: '1699,11,30',
    to: '9999,99,99',
    message: '4: ATPBYR1, ATPBMN1 and ATPBDA1 are not a day: 9999-99-99',
  },
]

for (const { table, from, to, message } of invalidRows) {
  test(`an invalid row is an error with its place, and no fact is written: ${table}:${message}`, t => {
    const directory = writeTables(t, (name, text) => {
      if (name !== table) return text
      assert.ok(text.includes(from))
      return text.replace(from, to)
    })
    const { status, stdout, stderr } = run(directory)
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^[^\n]+\.csv:\d+: [^\n]+\n$/)
    assert.ok(stderr.includes(message), stderr)
  })
}

test('bytes that are not UTF-8 are rejected, not replaced', t => {
  const directory = writeTables(t)
  const path = join(directory, 'battle_actors.csv')
  writeFileSync(path, readFileSync(path, 'utf8'), 'latin1')
  assert.deepEqual(run(directory), { status: 1, stdout: '', stderr: `${path}: not UTF-8\n` })
})

test('a missing directory is named', () => {
  const { status, stdout, stderr } = run('no-such-directory')
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^no-such-directory[^\n]*: no such [^\n]+\n$/)
})

test('anything but one directory is a usage error', () => {
  for (const args of [[], [''], ['--help'], ['one', 'two']]) {
    const { status, stdout, stderr } = run(...args)
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /^usage: [^\n]+\n$/)
  }
})
