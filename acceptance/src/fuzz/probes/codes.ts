import fc from 'fast-check'
import type { Client } from '../../client.ts'
import { digText } from '../../json.ts'
import { drawnCaller } from '../draw.ts'
import { type Probe, probe } from '../probe.ts'
import { ProbeError, type Session } from '../session.ts'

/** A valid code can be redeemed once, by any caller, on either base, in any case. */
export function liveCodes(session: Session, client: Client): Probe[] {
  const operation = session.api.operations.find(({ path }) => path.endsWith('/{code}'))
  const [nationId] = session.values.named('nation_id')
  if (!operation || nationId === undefined) return []
  const draws = fc.record({
    bases: fc.array(fc.constantFrom(...session.api.bases), { minLength: 2, maxLength: 2 }),
    caller: drawnCaller(session.callers),
    isLower: fc.boolean(),
  })
  return [
    probe({
      name: 'codes',
      weight: 1,
      cost: 3,
      draws,
      async check({ bases, caller, isLower }) {
        if (caller.kind === 'wrong') return
        const { json } = await client.requestOperator('POST', '/codes', { nation_id: nationId })
        const code = digText(json, 'code')
        for (const [index, base] of bases.entries()) {
          const target = `${base}${operation.path.replace('{code}', isLower ? code.toLowerCase() : code)}`
          const shown = { method: 'GET', target: `${base}${operation.path}`, caller }
          const { status } = await session.request(operation, { ...shown, target }).catch(error => {
            // A code is a secret, and is not printed.
            throw error instanceof ProbeError ? new ProbeError(error.problems, shown) : error
          })
          const right = index === 0 ? 200 : 410
          if (status !== right && status !== 429)
            throw new ProbeError(
              [`${status} instead of ${right} to a code that is redeemed for time ${index + 1}`],
              shown,
            )
        }
      },
    }),
  ]
}
