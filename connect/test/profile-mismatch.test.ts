import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, profileDigest } from '@chancery/contract'
import { createProfileCheck } from '../src/profile-mismatch.ts'
import type { ServiceClient } from '../src/service-client.ts'

const contract = contractFor(demoProfile)
const ours = await profileDigest(demoProfile)
const theirs = await profileDigest({ ...demoProfile, name: 'Another game' })

/** A check with a service and a clock that the test controls. */
function openCheck() {
  const service = { digest: ours as string | undefined, isUnavailable: false, calls: 0 }
  const clock = { ms: 0 }
  const messages: string[] = []
  const check = createProfileCheck({
    contract,
    client: {
      call: (async () => {
        service.calls += 1
        if (service.isUnavailable) throw new Error('unavailable')
        return service.digest === undefined ? {} : { profile_digest: service.digest }
      }) as ServiceClient['call'],
      send: () => assert.fail('nothing is sent'),
    },
    log: message => messages.push(message),
    now: () => clock.ms,
  })
  return { service, clock, messages, check }
}

test('a service that changes its profile between rounds is reported within a minute, and once', async () => {
  const { service, clock, messages, check } = openCheck()
  await check()
  service.digest = theirs
  for (; clock.ms <= 60_000; clock.ms += 1_000) await check()
  assert.equal(messages.length, 1)
  assert.match(messages[0] ?? '', /^the service runs with another game profile than this one/)
  for (let minute = 0; minute < 5; minute += 1) {
    clock.ms += 60_000
    await check()
  }
  assert.equal(messages.length, 1)
  for (const digest of [ours, theirs]) {
    service.digest = digest
    clock.ms += 60_000
    await check()
  }
  assert.equal(messages.length, 2)
})

test('the profile is checked once a minute, however often rounds run, and in the next round after an error', async () => {
  const { service, clock, check } = openCheck()
  for (let round = 0; round < 100; round += 1) await check()
  assert.equal(service.calls, 1)
  clock.ms += 60_000
  service.isUnavailable = true
  await assert.rejects(check())
  await assert.rejects(check())
  service.isUnavailable = false
  await check()
  await check()
  assert.equal(service.calls, 4)
})

test('a service that does not report its profile is not reported', async () => {
  const { service, messages, check } = openCheck()
  service.digest = undefined
  await check()
  assert.deepEqual(messages, [])
})
