import { text } from 'node:stream/consumers'
import { isRecord } from '../record.ts'
import { explainSilence, isSuccess, type OperatorDoor, refusalIn, responseTo } from './operator-door.ts'
import { type Outcome, readOutcome } from './outcome.ts'

/**
 * Tries a refused batch again, `anyway` also one that later facts have overtaken. What became of it is an outcome, whatever its
 * status. Throws a CommandError for a call that was refused, and for a silent service.
 */
export async function retryBatch(door: OperatorDoor, path: string, anyway: boolean): Promise<Outcome> {
  const req = door.open('POST', path, { 'content-type': 'application/json' })
  try {
    const answer = responseTo(req)
    req.end(JSON.stringify({ anyway }))
    const res = await answer
    const body = await text(res)
    const parsed: unknown = JSON.parse(body)
    const isOutcome = isSuccess(res) || (isRecord(parsed) && parsed.error === undefined)
    if (isOutcome) return readOutcome(body)
    throw refusalIn(res.statusCode ?? 0, parsed)
  } catch (err) {
    throw explainSilence(err, door.url)
  }
}
