/** The numbers that callers may rely on. */
export const limits = {
  /** Calls in one window without a key, per IPv4 address or IPv6 /64. */
  anonymousCalls: 60,
  /** Calls in one window with a key, unless the key has a limit of its own. */
  keyCalls: 120,
  /** A window begins with the first call in it. */
  windowSeconds: 60,

  /** Event streams open at a time with one key, and without a key from one IPv4 address or IPv6 /64. */
  streamsPerKey: 5,
  streamsPerAddress: 2,
  /** A stream says something at least this often. */
  streamHeartbeatSeconds: 15,
  /** How long readers wait before they resume a stream that broke. */
  streamRetrySeconds: 3,
  /** A reader that takes nothing for so long, while something waits for it, is cut off. */
  streamStalledSeconds: 30,
  /** What a caller is told to wait who has as many streams open as may be. */
  retryAfterStreamsSeconds: 15,

  /** What a player may have at a time; endpoints are among the numbers of webhooks. */
  keysPerPlayer: 20,
  /** How long a key that is replaced may go on working. */
  keyOverlapHoursMax: 24,
  /** The developer settings page: a hand-over link, a session, and changes and reads in a minute. */
  handoverLifetimeSeconds: 60,
  sessionLifetimeHours: 12,
  accountChanges: 60,
  accountReads: 600,
  /** Requests in a minute from one IPv4 address or IPv6 /64: for pages, scripts and documents, and for the API of the settings page. */
  pageRequests: 300,
  accountRequests: 1_200,
  /** How long the request journal remembers. */
  requestLogDays: 7,

  /** How long a batch is known by its id: sent again within that time it is applied once. */
  batchIdDays: 30,
  /** A refused batch of at most this size is kept for the operator, so long. */
  deadLetterBytesMax: 4_194_304,
  deadLetterDays: 30,
  /** Refused batches and bytes of them that are kept: of one feed, and in all. Batches of no known feed share the room of one. */
  deadLettersPerFeed: 2_000,
  deadLetterBytesPerFeed: 33_554_432,
  deadLettersTotal: 10_000,
  deadLetterBytesTotal: 268_435_456,
  /** How many of those that were dropped for lack of room are listed. */
  droppedDeadLettersListed: 100,
  /** Feeds that are known at a time. */
  feeds: 1_000,
  /** How far the end of an era that a reset says may lie ahead: clocks differ, and what is past is told by it for ever. */
  resetAheadSeconds: 300,

  /** Named tokens of the operator listener: how long one that is replaced goes on, and is listed after its end; and their log. */
  tokenOverlapHours: 24,
  tokenOverlapHoursMax: 168,
  endedTokenDays: 30,
  auditLogDays: 400,
  /** Lines of one action: a sender that repeats one does not fill the disk. */
  auditLogLinesPerAction: 1_000_000,

  pageFirst: 1,
  pageSizeMin: 1,
  pageSizeMax: 100,
  pageSizeDefault: 25,
  idsMax: 100,
  searchLengthMax: 100,

  codeLength: 10,
  codeAlphabet: '23456789ABCDEFGHJKMNPQRSTVWXYZ',
  codeLifetimeSeconds: 600,
  codesLivePerNation: 10,
  codeDays: 30,

  sharedCacheSeconds: 60,
  retryAfterUnavailableSeconds: 1,
} as const
