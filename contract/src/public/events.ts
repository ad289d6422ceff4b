import { limits } from '../limits.ts'
import { derivedListOperation, listOperation, streamOperation } from './operation.ts'
import {
  eventTypes,
  filterBy,
  idListParam,
  idParam,
  lastEventId,
  limit,
  page,
  profileEnumParam,
  relatedIdListParam,
  sequenceParam,
  timeParam,
} from './parameters.ts'

const eventFilterParams = {
  type: eventTypes,
  nation_id: relatedIdListParam('Only events about one of these nations.', ['n42', 'n9']),
  alliance_id: relatedIdListParam('Only events about one of these alliances.', ['a7', 'a3']),
  war_id: idParam('Only events about this war.', 'w310'),
  since: timeParam('Only events logged at or after this time.'),
  until: timeParam('Only events logged before this time.'),
  after: sequenceParam(
    'Only events with a greater seq, oldest first. 0 starts at the oldest stored event.',
    1041,
  ),
}

export const eventOperations = {
  eventsList: listOperation('event', {
    id: 'events.list',
    path: '/events',
    tag: 'History',
    summary: 'List events',
    description:
      'Events by seq, newest first. With `after`, oldest first, starting with the next number: read until a page is empty and store the last seq, and no event is missed or repeated.',
    scope: 'none',
    cache: 'revalidate',
    parameters: {
      page,
      limit,
      ...eventFilterParams,
    },
    errors: ['cursor_expired'],
  }),

  eventsStream: streamOperation('event', {
    id: 'events.stream',
    path: '/events/stream',
    tag: 'History',
    summary: 'Follow events as they happen',
    description: `Events as they are logged, as server-sent events: for \`EventSource\` in browsers, and for any client that reads lines.

An event is a line \`id: <seq>\`, a line \`data: <the event, as in /events>\` and an empty line. There is no \`event:\` line: \`onmessage\` receives every kind, and \`type\` in the data names it. The first line, \`retry: ${limits.streamRetrySeconds * 1000}\`, is the number of milliseconds to wait before reconnecting. An \`id:\` without data reports how far the log has been read; store it like that of an event. Lines that begin with a colon are comments: \`: up to date\` when all events that the log contained at the start have been sent, and \`: heartbeat\` every ${limits.streamHeartbeatSeconds} seconds. If nothing arrives for ${2 * limits.streamHeartbeatSeconds} seconds, the connection is dead.

Without a position, the stream sends the events logged from now on. With \`after\`, or with the header Last-Event-ID, it first sends all events after that number, however old, then continues: no event is missing or sent twice. \`EventSource\` sends the header by itself when it reconnects, and the header takes precedence over \`after\`. With \`since\` alone, the stream starts with the events logged at that time. With \`until\`, it ends with a comment when the log has passed that time: close an \`EventSource\` then, or it reconnects. History that the game loads without announcing it is sent to streams that start before it, but not to streams that are open while it is loaded.

Opening a stream counts as one call. ${limits.streamsPerKey} streams may be open per key, and ${limits.streamsPerAddress} without a key per IPv4 address or IPv6 /64; a further one is rejected with 429. A client that reads nothing for ${limits.streamStalledSeconds} seconds while data is pending is disconnected, and so is a client whose key is revoked or expires; a comment states the reason. After any disconnect, reconnect with the last id.`,
    scope: 'none',
    parameters: { ...eventFilterParams, 'Last-Event-ID': lastEventId },
    errors: ['cursor_expired'],
  }),

  newsList: derivedListOperation('news_item', {
    id: 'news.list',
    path: '/news',
    tag: 'History',
    summary: 'List news',
    description: 'News by published_at, newest first, then id.',
    scope: 'none',
    cache: 'public',
    order: { published_at: 'descending', id: 'ascending' },
    parameters: {
      page,
      limit,
      category: filterBy('category', profileEnumParam('Only this category.', 'news_categories', 0)),
      ids: filterBy('id', idListParam('Only these items.', ['news1', 'news2'])),
    },
  }),
}
