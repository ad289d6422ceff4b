import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { itemOperation, listOperation, publicField, resource } from '../src/index.ts'

// The type check is the test: an unused expectation of an error fails it.

test('a field without a class does not compile', () => {
  // @ts-expect-error A bare schema is no field.
  const bare = resource('item', 'An item.', { name: Type.String() })
  const classified = resource('item', 'An item.', {
    name: publicField(Type.String(), { description: 'Its name.', example: 'x' }),
  })
  assert.deepEqual([bare.name, classified.name], ['item', 'item'])
})

test('an operation without a scope does not compile', () => {
  const rest = {
    id: 'items.list',
    path: '/items',
    tag: 'Game',
    summary: 'List items',
    description: 'Items by id.',
    cache: 'public',
    parameters: {},
  } as const
  // @ts-expect-error Who may call it is never left open.
  const one = itemOperation('nation', rest)
  // @ts-expect-error Nor for a list.
  const many = listOperation('nation', rest)
  assert.deepEqual([one.scope, many.scope], [undefined, undefined])
})
