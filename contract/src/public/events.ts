import { limits } from '../limits.ts'
import { listOperation, streamOperation } from './operation.ts'
import {
  eventTypes,
  idParam,
  lastEventId,
  limit,
  page,
  profileEnumParam,
  relatedIdListParam,
  sequenceParam,
  timeParam,
} from './parameters.ts'

/** Which events are read, and from where on. */
const eventFilterParams = {
  type: eventTypes,
  nation_id: relatedIdListParam('Only events about one of these nations.', 'n42'),
  alliance_id: relatedIdListParam('Only events about one of these alliances.', 'a7'),
  war_id: idParam('Only events about this war.', 'w310'),
  since: timeParam('Only events logged at or after this time.'),
  until: timeParam('Only events logged before this time.'),
  after: sequenceParam('Only events with a greater seq, oldest first. 0 begins at the oldest event kept.'),
}

export const eventsList = listOperation('event', {
  id: 'events.list',
  path: '/events',
  tag: 'History',
  summary: 'List events',
  description:
    'Events by seq, newest first. With `after`, oldest first from the number after it: read until the answer is empty, keep the last seq, and nothing is missed or repeated.',
  scope: 'none',
  cache: 'revalidate',
  parameters: {
    page,
    limit,
    ...eventFilterParams,
  },
  errors: ['cursor_expired'],
})

export const eventsStream = streamOperation('event', {
  id: 'events.stream',
  path: '/events/stream',
  tag: 'History',
  summary: 'Follow events as they happen',
  description: `Events as they are logged, as server-sent events: what \`EventSource\` of browsers reads, and any client that reads lines.

An event is a line \`id: <seq>\`, a line \`data: <the event, as in /events>\` and an empty line. There is no \`event:\` line: \`onmessage\` gets every kind, and \`type\` in the data says which. The first line, \`retry: ${limits.streamRetrySeconds * 1000}\`, is how many milliseconds to wait before coming back. An \`id:\` without data says how far the log has been looked through; keep it like that of an event. Lines that begin with a colon are comments: \`: up to date\` once everything is told that the log held when the stream was opened, and \`: heartbeat\` every ${limits.streamHeartbeatSeconds} seconds. Silence for longer means that the connection is dead.

Without a position the stream tells what is logged from now on. With \`after\`, or with the header Last-Event-ID, which \`EventSource\` sends by itself when it comes back and which wins over \`after\`, it first tells everything after that number, however long the reader was away, then goes on: nothing is missing and nothing is told twice. With \`since\` alone it begins with what was logged then. With \`until\` it ends, with a comment, when the log has passed that time: close an \`EventSource\` then, or it comes back. History that the game loads without announcing it is not news: it is told to whoever begins before it, and not to those who are listening while it is loaded.

Opening a stream counts as one call. ${limits.streamsPerKey} streams may be open with one key, and ${limits.streamsPerAddress} without a key from one IPv4 address or IPv6 /64; a further one is answered with 429. A reader that takes nothing for ${limits.streamStalledSeconds} seconds while something waits for it is cut off, and so is one whose key is revoked or expires; a comment says why. However a stream ends, come back with the last id.`,
  scope: 'none',
  parameters: { ...eventFilterParams, 'Last-Event-ID': lastEventId },
  errors: ['cursor_expired'],
})

export const newsList = listOperation('news_item', {
  id: 'news.list',
  path: '/news',
  tag: 'History',
  summary: 'List news',
  description: 'News by published_at, newest first, then id.',
  scope: 'none',
  cache: 'public',
  parameters: { page, limit, category: profileEnumParam('Only this category.', 'news_categories', 0) },
})
