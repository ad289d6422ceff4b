// Written by client/generate/main.ts from the contract. Change the contract, then run: npm run generate

import type { Operations } from './api-types.ts'

import type { Calls } from './calls.ts'

/** A method for each operation. */
export const createOperations = ({ one, page, pages, segment }: Calls): Operations => ({
  nations: {
    list: options => page('/nations', 'public', options),
    iterate: options => pages('/nations', 'public', options),
    get: (id, options) => one(`/nations/${segment(id)}`, 'public', options),
  },
  alliances: {
    list: options => page('/alliances', 'public', options),
    iterate: options => pages('/alliances', 'public', options),
    get: (id, options) => one(`/alliances/${segment(id)}`, 'public', options),
    members: (id, options) => page(`/alliances/${segment(id)}/members`, 'public', options),
    iterateMembers: (id, options) => pages(`/alliances/${segment(id)}/members`, 'public', options),
  },
  wars: {
    list: options => page('/wars', 'public', options),
    iterate: options => pages('/wars', 'public', options),
    get: (id, options) => one(`/wars/${segment(id)}`, 'public', options),
    battles: (id, options) => page(`/wars/${segment(id)}/battles`, 'public', options),
    iterateBattles: (id, options) => pages(`/wars/${segment(id)}/battles`, 'public', options),
  },
  market: {
    price: options => page('/market/price', 'public', options),
    iteratePrice: options => pages('/market/price', 'public', options),
    rankings: options => page('/market/rankings', 'public', options),
    iterateRankings: options => pages('/market/rankings', 'public', options),
  },
  rankings: {
    list: options => page('/rankings', 'public', options),
    iterate: options => pages('/rankings', 'public', options),
  },
  conflicts: {
    list: options => page('/global-conflicts', 'public', options),
    iterate: options => pages('/global-conflicts', 'public', options),
  },
  events: {
    list: options => page('/events', 'revalidate', options),
    iterate: options => pages('/events', 'revalidate', options),
  },
  news: {
    list: options => page('/news', 'public', options),
    iterate: options => pages('/news', 'public', options),
  },
  me: {
    nation: options => one('/me/nation', 'private', options),
    key: options => one('/me/key', 'private', options),
  },
  discord: {
    verify: (code, options) => one(`/discord/verify/${segment(code)}`, 'once', options),
  },
  game: {
    get: options => one('/game', 'public', options),
  },
  eras: {
    list: options => page('/eras', 'public', options),
    iterate: options => pages('/eras', 'public', options),
  },
})
