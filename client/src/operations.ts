// Written by client/generate/main.ts from the contract. Change the contract, then run: npm run generate

import type { Operations } from './api-types.ts'
import type { Calls } from './calls.ts'

/** A method for each operation. */
export class OperationGroups implements Operations {
  readonly nations: Operations['nations']
  readonly alliances: Operations['alliances']
  readonly members: Operations['members']
  readonly treaties: Operations['treaties']
  readonly wars: Operations['wars']
  readonly battles: Operations['battles']
  readonly market: Operations['market']
  readonly rankings: Operations['rankings']
  readonly conflicts: Operations['conflicts']
  readonly events: Operations['events']
  readonly news: Operations['news']
  readonly changes: Operations['changes']
  readonly me: Operations['me']
  readonly discord: Operations['discord']
  readonly game: Operations['game']
  readonly eras: Operations['eras']

  constructor({ item, items, page }: Calls) {
    this.nations = {
      list: options => page('/nations', 'public', options),
      iterate: options => items('/nations', 'public', options),
      get: (id, options) => item('/nations/{id}', 'public', options, { id }),
      history: (id, options) => page('/nations/{id}/history', 'public', options, { id }),
      iterateHistory: (id, options) => items('/nations/{id}/history', 'public', options, { id }),
    }
    this.alliances = {
      list: options => page('/alliances', 'public', options),
      iterate: options => items('/alliances', 'public', options),
      get: (id, options) => item('/alliances/{id}', 'public', options, { id }),
      members: (id, options) => page('/alliances/{id}/members', 'public', options, { id }),
      iterateMembers: (id, options) => items('/alliances/{id}/members', 'public', options, { id }),
      history: (id, options) => page('/alliances/{id}/history', 'public', options, { id }),
      iterateHistory: (id, options) => items('/alliances/{id}/history', 'public', options, { id }),
    }
    this.members = {
      list: options => page('/members', 'public', options),
      iterate: options => items('/members', 'public', options),
    }
    this.treaties = {
      list: options => page('/treaties', 'public', options),
      iterate: options => items('/treaties', 'public', options),
      get: (id, options) => item('/treaties/{id}', 'public', options, { id }),
    }
    this.wars = {
      list: options => page('/wars', 'public', options),
      iterate: options => items('/wars', 'public', options),
      get: (id, options) => item('/wars/{id}', 'public', options, { id }),
      battles: (id, options) => page('/wars/{id}/battles', 'public', options, { id }),
      iterateBattles: (id, options) => items('/wars/{id}/battles', 'public', options, { id }),
    }
    this.battles = {
      list: options => page('/battles', 'public', options),
      iterate: options => items('/battles', 'public', options),
      get: (id, options) => item('/battles/{id}', 'public', options, { id }),
    }
    this.market = {
      price: options => page('/market/price', 'public', options),
      iteratePrice: options => items('/market/price', 'public', options),
      history: options => page('/market/price/history', 'public', options),
      iterateHistory: options => items('/market/price/history', 'public', options),
      rankings: options => page('/market/rankings', 'public', options),
      iterateRankings: options => items('/market/rankings', 'public', options),
    }
    this.rankings = {
      list: options => page('/rankings', 'public', options),
      iterate: options => items('/rankings', 'public', options),
    }
    this.conflicts = {
      list: options => page('/global-conflicts', 'public', options),
      iterate: options => items('/global-conflicts', 'public', options),
    }
    this.events = {
      list: options => page('/events', 'revalidate', options),
      iterate: options => items('/events', 'revalidate', options),
    }
    this.news = {
      list: options => page('/news', 'public', options),
      iterate: options => items('/news', 'public', options),
    }
    this.changes = {
      list: options => page('/changes', 'revalidate', options),
      iterate: options => items('/changes', 'revalidate', options),
    }
    this.me = {
      nation: options => item('/me/nation', 'private', options),
      key: options => item('/me/key', 'private', options),
    }
    this.discord = {
      verify: (code, options) => item('/discord/verify/{code}', 'non-idempotent', options, { code }),
    }
    this.game = {
      get: options => item('/game', 'public', options),
    }
    this.eras = {
      list: options => page('/eras', 'public', options),
      iterate: options => items('/eras', 'public', options),
    }
  }
}
