import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printType } from '@chancery/contract'
import { commonSchema } from '../generate/common-schema.ts'

const text = { type: 'string' }
const count = { type: 'integer' }
const object = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

test('enums that two games share stay enums, and others become any text', () => {
  const status = { type: ['string', 'null'], enum: ['active', 'ended', null] }
  assert.equal(printType(commonSchema(status, status)), "'active' | 'ended' | null")
  assert.equal(printType(commonSchema(status, { ...status, enum: ['on', 'off', null] })), 'string | null')
})

test('members that two games share stay members, and others become a record', () => {
  const war = object({ id: text, battles: count })
  assert.equal(printType(commonSchema(war, war)), '{\nid: string\nbattles: number\n}')
  const units = commonSchema(object({ tanks: count }), object({ spears: count, bows: count }))
  assert.equal(printType(units), 'Record<string, number>')
  const attributes = commonSchema(object({ motto: text }), object({ literacy: count }))
  assert.equal(printType(attributes), 'Record<string, unknown>')
  const lists = { type: 'array', items: object({ tanks: count }) }
  const others = { type: 'array', items: object({ spears: count }) }
  assert.equal(printType(commonSchema(lists, others)), '(Record<string, number>)[]')
})

test('a member that may be absent is optional', () => {
  assert.equal(
    printType({ ...object({ id: text, treasury: count }), required: ['id'] }),
    '{\nid: string\ntreasury?: number\n}',
  )
})
