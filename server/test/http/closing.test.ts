import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startChancery } from '../support/chancery.ts'

test('a connection on which nothing was asked does not hold up the end of the service', async () => {
  const chancery = await startChancery()
  const { hostname, port } = new URL(chancery.url)
  const silent = connect(Number(port), hostname)
  await once(silent, 'connect')
  await chancery.read('/game')
  const startedAt = performance.now()
  await Promise.all([chancery.close(), once(silent.resume(), 'close')])
  assert.ok(performance.now() - startedAt < 20_000)
})
