import assert from 'node:assert/strict'
import { until } from '../../support/until.ts'
import { arrivedPairs, missingFrom, type Wants, wantedPairs, wholeLog } from '../../webhooks/pairs.ts'
import { everything, type FaultServer } from './fault-server.ts'
import type { Acknowledged } from './load.ts'

/** Nothing that was acknowledged is lost, nothing happened twice, and every subscriber received it. */
export async function assertNothingLost(
  server: FaultServer,
  { batches, codes }: Acknowledged,
): Promise<void> {
  const { served, receiver, follower, firstSeq } = server
  const log = await wholeLog(served)
  const numbers = log.map(({ seq }) => seq)
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
  )
  const declared = log.filter(({ type }) => type === 'war.declared')
  assert.deepEqual(
    declared.map(({ war_id }) => war_id),
    batches.map((_, index) => `w${index + 1}`),
  )
  assert.deepEqual(
    declared.map(({ seq }) => seq),
    batches.map(({ last_seq }) => last_seq),
  )

  for (const { code, redeemed, unknown } of codes) {
    assert.ok(redeemed <= 1, `a code was redeemed ${redeemed} times`)
    if (unknown === 0) assert.equal(redeemed, 1, 'a code was used, and nobody redeemed it')
    const again = await fetch(`${served.url}/api/v1/discord/verify/${code}`)
    assert.match(await again.text(), /"verification_code_used"/)
  }

  const wants: Wants = new Map([[everything, ({ seq }) => seq > firstSeq]])
  const wanted = wantedPairs(log, wants)
  // What was under way is anybody's after its lease.
  await until(
    () => missingFrom(wanted, arrivedPairs(receiver, wants)).length === 0,
    'all is delivered',
    40_000,
  )
  await until(() => follower.seqs().length >= log.length, 'the stream has sent every event')
  assert.deepEqual(follower.seqs(), numbers)
}
