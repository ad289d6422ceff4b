// Written by client/generate/main.ts from the contract. Change the contract, then run: npm run generate

import type { Operations } from './api-types.ts'

import type { Calls } from './calls.ts'

/** A method for each operation. */
export const createOperations = ({ one, page, pages, segment }: Calls): Operations => ({
  nations: {
    list: options => page('/nations', 'shared', options),
    iterate: options => pages('/nations', 'shared', options),
    get: (id, options) => one(`/nations/${segment(id)}`, 'shared', options),
  },
  alliances: {
    list: options => page('/alliances', 'shared', options),
    iterate: options => pages('/alliances', 'shared', options),
    get: (id, options) => one(`/alliances/${segment(id)}`, 'shared', options),
    members: (id, options) => page(`/alliances/${segment(id)}/members`, 'shared', options),
    iterateMembers: (id, options) => pages(`/alliances/${segment(id)}/members`, 'shared', options),
  },
  wars: {
    list: options => page('/wars', 'shared', options),
    iterate: options => pages('/wars', 'shared', options),
    get: (id, options) => one(`/wars/${segment(id)}`, 'shared', options),
    battles: (id, options) => page(`/wars/${segment(id)}/battles`, 'shared', options),
    iterateBattles: (id, options) => pages(`/wars/${segment(id)}/battles`, 'shared', options),
  },
  market: {
    price: options => page('/market/price', 'shared', options),
    iteratePrice: options => pages('/market/price', 'shared', options),
    rankings: options => page('/market/rankings', 'shared', options),
    iterateRankings: options => pages('/market/rankings', 'shared', options),
  },
  rankings: {
    list: options => page('/rankings', 'shared', options),
    iterate: options => pages('/rankings', 'shared', options),
  },
  conflicts: {
    list: options => page('/global-conflicts', 'shared', options),
    iterate: options => pages('/global-conflicts', 'shared', options),
  },
  events: {
    list: options => page('/events', 'shared_fresh', options),
    iterate: options => pages('/events', 'shared_fresh', options),
  },
  news: {
    list: options => page('/news', 'shared', options),
    iterate: options => pages('/news', 'shared', options),
  },
  me: {
    nation: options => one('/me/nation', 'personal', options),
    key: options => one('/me/key', 'personal', options),
  },
  discord: {
    verify: (code, options) => one(`/discord/verify/${segment(code)}`, 'once', options),
  },
  game: {
    get: options => one('/game', 'shared', options),
  },
  eras: {
    list: options => page('/eras', 'shared', options),
    iterate: options => pages('/eras', 'shared', options),
  },
})
