import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, profileDigest } from '@chancery/contract'
import { createProfileCheck } from '../src/other-profile.ts'

const contract = contractFor(demoProfile)
const ours = await profileDigest(demoProfile)
const theirs = await profileDigest({ ...demoProfile, name: 'Another game' })

/** A check by a service whose answers, and whose time, the test decides. */
function openCheck() {
  const service = { digest: ours as string | undefined, isAway: false, calls: 0 }
  const clock = { ms: 0 }
  const said: string[] = []
  const check = createProfileCheck({
    contract,
    door: {
      async call() {
        service.calls += 1
        if (service.isAway) throw new Error('away')
        return service.digest === undefined ? {} : { profile_digest: service.digest }
      },
      send: () => assert.fail('nothing is sent'),
    },
    say: message => said.push(message),
    now: () => clock.ms,
  })
  return { service, clock, said, check }
}

test('a service that takes on another profile while rounds go on is told of within a minute, and once', async () => {
  const { service, clock, said, check } = openCheck()
  await check()
  service.digest = theirs
  for (; clock.ms <= 60_000; clock.ms += 1_000) await check()
  assert.equal(said.length, 1)
  assert.match(said[0] ?? '', /^the service runs with another game profile than this one/)
  for (let minute = 0; minute < 5; minute += 1) {
    clock.ms += 60_000
    await check()
  }
  assert.equal(said.length, 1)
  for (const digest of [ours, theirs]) {
    service.digest = digest
    clock.ms += 60_000
    await check()
  }
  assert.equal(said.length, 2)
})

test('the service is asked once a minute, however often rounds come, and again with the next where it did not answer', async () => {
  const { service, clock, check } = openCheck()
  for (let round = 0; round < 100; round += 1) await check()
  assert.equal(service.calls, 1)
  clock.ms += 60_000
  service.isAway = true
  await assert.rejects(check())
  await assert.rejects(check())
  service.isAway = false
  await check()
  await check()
  assert.equal(service.calls, 4)
})

test('a service that does not say its profile is not told of', async () => {
  const { service, said, check } = openCheck()
  service.digest = undefined
  await check()
  assert.deepEqual(said, [])
})
