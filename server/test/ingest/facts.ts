import type { FactResource } from '@chancery/contract'
import type { Fact } from '../support/test-server.ts'

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
  warId: string,
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
