import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startChancery, type TestChancery } from '../support/chancery.ts'
import { refusalOf, seqOf, statusOf } from './answers.ts'
import { alliance, commit, lines, member, nation, war } from './facts.ts'
import { malformed, needing, nowhere, unreadable, type Wrong } from './wrong-facts.ts'

let chancery: TestChancery
before(async () => {
  chancery = await startChancery()
  await chancery.tell(
    [nation('n1'), nation('n2'), alliance('a1'), member('n1', 'a1'), war('w1', 'n1', 'n2')],
    { waits: false },
  )
})
after(() => chancery.close())

const lineOf = (line: Wrong['line']): Buffer =>
  typeof line === 'string' || line instanceof Uint8Array
    ? Buffer.from(line)
    : Buffer.from(JSON.stringify(line))

for (const [index, { name, line, path, reason }] of [
  ...unreadable,
  ...malformed,
  ...nowhere,
  ...needing,
].entries()) {
  test(`${name} refuses its batch and no other, with line, path and reason`, async () => {
    const before = await seqOf(chancery)
    const id = (place: string) => `door-${index}-${place}`
    const outcomes = await chancery.send(
      Buffer.concat([
        Buffer.from(lines(nation(id('earlier')), commit(id('1')))),
        Buffer.from(lines(nation(id('ahead')))),
        lineOf(line),
        Buffer.from(`\n${lines(nation(id('behind')), commit(id('2')))}`),
        Buffer.from(lines(nation(id('later')), commit(id('3')))),
      ]),
    )
    assert.deepEqual(
      outcomes.map(outcome => [outcome.batch, outcome.status, outcome.events]),
      [
        [id('1'), 'applied', 1],
        [id('2'), 'refused', 0],
        [id('3'), 'applied', 1],
      ],
    )
    const refusal = refusalOf(outcomes[1])
    assert.equal(refusal.line, 4)
    assert.equal(refusal.path, path)
    assert.match(refusal.reason, reason)
    const found = await Promise.all(
      ['earlier', 'ahead', 'behind', 'later'].map(place => statusOf(chancery, `/nations/${id(place)}`)),
    )
    assert.deepEqual(found, [200, 404, 404, 200])
    assert.equal(await seqOf(chancery), before + 2)
  })
}
