import { eventTypes, ids, instant, limit, oneId, page, sequence } from '../parameters.ts'
import { listOperation } from './operation.ts'

export const conflictsList = listOperation('conflict', {
  id: 'conflicts.list',
  path: '/global-conflicts',
  tag: 'Wars',
  summary: 'List global conflicts',
  description: 'Global conflicts by started_at, newest first, then id.',
  scope: 'none',
  body: 'shared',
  parameters: { page, limit },
})

export const erasList = listOperation('era', {
  id: 'eras.list',
  path: '/eras',
  tag: 'Game',
  summary: 'List eras',
  description: 'Eras by started_at, newest first, those without one last, then id.',
  scope: 'none',
  body: 'shared',
  parameters: { page, limit },
})

export const eventsList = listOperation('event', {
  id: 'events.list',
  path: '/events',
  tag: 'History',
  summary: 'List events',
  description:
    'Events by seq, newest first. With `after`, oldest first from the number after it: read until the answer is empty, keep the last seq, and nothing is missed or repeated.',
  scope: 'none',
  body: 'shared_fresh',
  parameters: {
    page,
    limit,
    type: eventTypes,
    nation_id: ids('Only events about one of these nations.', 'n42'),
    alliance_id: ids('Only events about one of these alliances.', 'a7'),
    war_id: oneId('Only events about this war.', 'w310'),
    since: instant('Only events logged at or after this time.'),
    until: instant('Only events logged before this time.'),
    after: sequence('Only events with a greater seq, oldest first. 0 begins at the oldest event kept.'),
  },
  errors: ['cursor_expired'],
})

export const newsList = listOperation('news_item', {
  id: 'news.list',
  path: '/news',
  tag: 'History',
  summary: 'List news',
  description: 'News by published_at, newest first, then id.',
  scope: 'none',
  body: 'shared',
  parameters: { page, limit, category: oneId('Only this category.', 'war') },
})
