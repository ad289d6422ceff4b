import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatchLoader } from '../../src/store/batch-loader.ts'

/** Answers when it is told to, and remembers what it was asked. */
function openAsking() {
  const asked: (readonly string[])[] = []
  const answers: PromiseWithResolvers<void>[] = []
  const ask = async (names: readonly string[]) => {
    asked.push(names)
    const answer = Promise.withResolvers<void>()
    answers.push(answer)
    await answer.promise
    return new Map(names.filter(name => name !== 'unknown').map(name => [name, `${name} found`]))
  }
  return { ask, asked, next: () => answers.shift() ?? assert.fail('nothing is asked') }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('whatever is asked while an asking is under way goes together in the next, and equal names once', async () => {
  const { ask, asked, next } = openAsking()
  const find = createBatchLoader(ask)
  const first = find('a')
  const others = [find('b'), find('c'), find('b'), find('unknown'), find('a')]
  next().resolve()
  assert.equal(await first, 'a found')
  await turn()
  next().resolve()
  assert.deepEqual(await Promise.all(others), ['b found', 'c found', 'b found', undefined, 'a found'])
  assert.deepEqual(asked, [['a'], ['b', 'c', 'unknown', 'a']])
})

test('what is asked after an asking began is never answered by it', async () => {
  const { ask, asked, next } = openAsking()
  const find = createBatchLoader(ask)
  const before = find('a')
  const after = find('a')
  next().resolve()
  await before
  await turn()
  assert.deepEqual(asked, [['a'], ['a']])
  next().resolve()
  assert.equal(await after, 'a found')
})

test('no asking has more names than it may', async () => {
  const { ask, asked, next } = openAsking()
  const find = createBatchLoader(ask, 2)
  const all = ['a', 'b', 'c', 'd'].map(find)
  while (asked.flat().length < all.length) {
    next().resolve()
    await turn()
  }
  next().resolve()
  await Promise.all(all)
  assert.deepEqual(asked, [['a'], ['b', 'c'], ['d']])
})

test('where an asking fails, whoever waits is told, and whoever comes later is answered', async () => {
  const { ask, next } = openAsking()
  const find = createBatchLoader(ask)
  const waiting = [find('a'), find('b')]
  next().reject(new Error('away'))
  for (const each of await Promise.allSettled(waiting)) assert.equal(each.status, 'rejected')
  await turn()
  const later = find('c')
  next().resolve()
  assert.equal(await later, 'c found')
})
