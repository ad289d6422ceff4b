import assert from 'node:assert/strict'
import type { FactResource } from '@chancery/contract'
import { readStatus } from '../support/read-status.ts'
import type { Fact, Outcome, TestServer } from '../support/test-server.ts'

type Data = Record<string, unknown>

export const put = (resource: FactResource, data: Data, at?: string): Fact => ({
  op: 'put',
  resource,
  data,
  ...(at === undefined ? {} : { at }),
})

export const remove = (resource: FactResource, id: string, at?: string): Fact => ({
  op: 'delete',
  resource,
  id,
  ...(at === undefined ? {} : { at }),
})

export const event = (data: Data): Fact => ({ op: 'event', data })

export const nation = (id: string, more: Data = {}): Fact =>
  put('nation', { id, nation_name: `Nation ${id}`, ...more })

export const alliance = (id: string, more: Data = {}): Fact =>
  put('alliance', { id, name: `Alliance ${id}`, tag: id.toUpperCase(), ...more })

export const member = (nationId: string, allianceId: string, more: Data = {}): Fact =>
  put('alliance_member', { nation_id: nationId, alliance_id: allianceId, ...more })

export const war = (id: string, attacker: string, defender: string, more: Data = {}): Fact =>
  put('war', {
    id,
    attacker: { nation_id: attacker },
    defender: { nation_id: defender },
    declared_at: '2026-05-20T10:00:00Z',
    ...more,
  })

export const battle = (
  id: string,
  warId: string | null,
  attacker: string,
  defender: string,
  more: Data = {},
): Fact =>
  put('battle', {
    id,
    war_id: warId,
    attacker_nation_id: attacker,
    defender_nation_id: defender,
    fought_at: '2026-05-21T03:12:00Z',
    ...more,
  })

export const commit = (batch: string, more: Data = {}): Fact => ({ op: 'commit', batch, ...more })

/** Facts as the lines of a stream. */
export const lines = (...facts: Fact[]): string => facts.map(fact => `${JSON.stringify(fact)}\n`).join('')

/** The number of the last event. */
export const seqOf = async (server: TestServer): Promise<number> =>
  (await readStatus<{ seq: number }>(server)).seq

export const statusOf = async ({ get }: TestServer, path: string): Promise<number> => (await get(path)).status

/** The first rejection of a batch. */
export function rejectionOf(outcome: Outcome | undefined): Outcome['refused'][number] {
  assert.equal(outcome?.status, 'refused', JSON.stringify(outcome))
  const [rejection] = outcome.refused
  assert.ok(rejection)
  return rejection
}

export const outcomesOf = (text: string): Outcome[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Outcome)

/** Sends a stream of facts; its response begins before the stream ends. */
export function stream(
  { operatorUrl, operatorToken }: Pick<TestServer, 'operatorUrl' | 'operatorToken'>,
  body: AsyncIterable<Uint8Array>,
  { signal, query = '' }: { signal?: AbortSignal; query?: string } = {},
): Promise<Response> {
  return fetch(`${operatorUrl}/facts${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/x-ndjson' },
    body: body as unknown as ReadableStream,
    duplex: 'half',
    ...(signal ? { signal } : {}),
  })
}

/** Short forms for tests of facts on one server. */
export const factsOn = (chancery: TestServer) => ({
  ingest: (...facts: Fact[]) => chancery.ingest(facts, { waits: false }),
  /** Sends one batch as a stream. */
  send: async (batch: string, ...facts: Fact[]) => (await chancery.send(lines(...facts, commit(batch))))[0],
  read: async (path: string, key?: string) =>
    (await chancery.read<{ data: Data }>(path, key === undefined ? {} : { key })).data,
  list: async (path: string) => (await chancery.read<{ data: Data[] }>(path)).data,
})
