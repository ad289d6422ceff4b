import assert from 'node:assert/strict'
import type { Outcome, TestServer } from '../support/test-server.ts'

/** The newest number in the log. */
export async function seqOf({ operate }: TestServer): Promise<number> {
  const status = (await (await operate('GET', '/status')).json()) as { seq: number }
  return status.seq
}

export const statusOf = async ({ get }: TestServer, path: string): Promise<number> => (await get(path)).status

/** The first reason why a batch was refused. */
export function refusalOf(outcome: Outcome | undefined): Outcome['refused'][number] {
  assert.equal(outcome?.status, 'refused', JSON.stringify(outcome))
  const [refusal] = outcome.refused
  assert.ok(refusal)
  return refusal
}

export const outcomesOf = (text: string): Outcome[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Outcome)

/** Sends bytes to the door as they come; the answer begins before they end. */
export function stream(
  { operatorUrl, operatorToken }: Pick<TestServer, 'operatorUrl' | 'operatorToken'>,
  body: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${operatorUrl}/facts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/x-ndjson' },
    body: body as unknown as ReadableStream,
    duplex: 'half',
    ...(signal ? { signal } : {}),
  })
}
