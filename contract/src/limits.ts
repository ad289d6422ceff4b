/** The limits of the API and of what is stored. */
export const limits = {
  /** Calls per window without a key, per IPv4 address or IPv6 /64. */
  anonymousCalls: 60,
  /** Calls per window with a key, unless the key has its own limit. */
  keyCalls: 120,
  /** A window starts with its first call. */
  windowSeconds: 60,

  /** Open event streams per key, and without a key per IPv4 address or IPv6 /64. */
  streamsPerKey: 5,
  streamsPerAddress: 2,
  /** A stream sends at least a comment this often. */
  streamHeartbeatSeconds: 15,
  /** How long clients wait before they resume a broken stream. */
  streamRetrySeconds: 3,
  /** A client that reads nothing for this long, while data is pending, is disconnected. */
  streamStalledSeconds: 30,
  /** The `retry-after` of a rejected stream. */
  retryAfterStreamsSeconds: 15,

  /** Keys per player. The limit of webhook endpoints is in `webhooks`. */
  keysPerPlayer: 20,
  /** How long a rotated key may stay valid. */
  keyOverlapHoursMax: 24,
  /** The developer settings page: lifetimes of a handover link and a session; changes and reads per minute. */
  handoverLifetimeSeconds: 60,
  sessionLifetimeHours: 12,
  accountChanges: 60,
  accountReads: 600,
  /** Requests per minute from one IPv4 address or IPv6 /64: for pages, scripts and documents, and for the account API. */
  pageRequests: 300,
  accountRequests: 1_200,
  /** Retention of the request log. */
  requestLogDays: 7,

  /** Retention of the change log, and of snapshots. */
  changeDays: 30,
  snapshotDays: 30,

  /** Retention of batch ids: a batch that is sent again within that time is not applied twice. */
  batchIdDays: 30,
  /** The dead-letter store keeps rejected batches of at most this many bytes, for this many days. */
  deadLetterBytesMax: 4_194_304,
  deadLetterDays: 30,
  /** Batches and bytes in the dead-letter store: per feed, and in total. Batches without a known feed count as one feed. */
  deadLettersPerFeed: 2_000,
  deadLetterBytesPerFeed: 33_554_432,
  deadLettersTotal: 10_000,
  deadLetterBytesTotal: 268_435_456,
  /** Facts that one batch may set aside. */
  setAsidePerBatch: 1_000,
  /** How many batches that exceeded these limits are listed as dropped. */
  droppedDeadLettersListed: 100,
  /** The number of known feeds. */
  feeds: 1_000,
  /** How far in the future a reset may end an era: clocks differ, and the past is divided by it for good. */
  resetAheadSeconds: 300,

  /** Operator tokens: how long a rotated one stays valid, how long ended ones are listed, and the retention of the audit log. */
  tokenOverlapHours: 24,
  tokenOverlapHoursMax: 168,
  endedTokenDays: 30,
  auditLogDays: 400,
  exportRowsPerTable: 10_000,
  addressLimits: 1_000,
  addressLimitDays: 90,
  senders: 100,
  heartbeatDays: 30,
  waitingViewsPerSender: 50,
  /** Audit log lines per action: a client that repeats one must not fill the disk. */
  auditLogLinesPerAction: 1_000_000,

  pageFirst: 1,
  pageSizeMin: 1,
  pageSizeMax: 100,
  pageSizeDefault: 25,
  /** Points on a page of a history: 400 days fit on one. */
  historyPageSizeMax: 400,
  historyPageSizeDefault: 100,
  /** Retention of hourly prices, and of daily points unless the operator sets another. */
  hourlyPriceDays: 30,
  historyDays: 400,
  idsMax: 100,
  searchLengthMax: 100,

  codeLength: 10,
  codeAlphabet: '23456789ABCDEFGHJKMNPQRSTVWXYZ',
  codeLifetimeSeconds: 600,
  codesActivePerNation: 10,
  codeDays: 30,

  sharedCacheSeconds: 60,
  retryAfterUnavailableSeconds: 1,
} as const
