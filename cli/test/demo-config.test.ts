import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { demoConfig } from '../src/demo/demo-config.ts'

const configOf = (env: Record<string, string>) => demoConfig({ env, messages: new PassThrough() })
const isLocalAllowed = async (env: Record<string, string>) => (await configOf(env)).webhooksAllowLocal

for (const host of [
  '',
  '127.0.0.1',
  '127.8.9.1',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  'localhost',
  'LocalHost',
])
  test(`a demo on ${host || 'its usual host'} sends webhooks to local receivers, and allows sign-in`, async () => {
    const { webhooksAllowLocal, demoSignIn } = await configOf({ CHANCERY_HOST: host })
    assert.deepEqual([webhooksAllowLocal, demoSignIn], [true, true])
  })

for (const host of [
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '128.0.0.1',
  '::2',
  '127.0.0.1.example.com',
  'localhost.example.com',
])
  test(`a demo on ${host} is reachable from other machines: it sends no webhooks to local receivers and allows no sign-in`, async () => {
    const { webhooksAllowLocal, demoSignIn } = await configOf({ CHANCERY_HOST: host })
    assert.deepEqual([webhooksAllowLocal, demoSignIn], [false, false])
  })

test('CHANCERY_WEBHOOKS_ALLOW_LOCAL overrides the default, both ways', async () => {
  assert.equal(await isLocalAllowed({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'false' }), false)
  const open = { CHANCERY_HOST: '0.0.0.0', CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' }
  assert.equal(await isLocalAllowed(open), true)
})
