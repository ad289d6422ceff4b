import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { subjectOfAddress } from '../../src/limits/index.ts'
import { startChancery, type TestChancery } from '../support/chancery.ts'

let chancery: TestChancery
before(async () => {
  chancery = await startChancery()
})
after(() => chancery.close())

for (const path of ['/healthz', '/readyz', '/openapi.json']) {
  test(`${path} is answered to GET and HEAD, and takes nothing from anybody's limit`, async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(chancery.url + path, { method })
      assert.equal(response.status, 200, method)
      assert.equal(response.headers.get('x-ratelimit-limit'), null, method)
    }
  })
}

test('a port behind an address makes no other caller', () => {
  for (const written of ['192.0.2.7:4711', '[::ffff:192.0.2.7]:80', '192.0.2.7']) {
    assert.equal(subjectOfAddress(written), '192.0.2.7', written)
  }
  assert.equal(subjectOfAddress('[2001:db8::1]:443'), '2001:db8::/64')
})
