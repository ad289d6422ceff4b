/** A failure that a retry cannot fix. The message is one line that states what to do. */
export class ConnectError extends Error {
  override name = 'ConnectError'
}

/** The service is temporarily unavailable. Whether a batch in flight was applied is unknown. */
export class ServiceUnavailableError extends Error {
  override name = 'ServiceUnavailableError'
}

/** The game's database is temporarily unavailable. Locks of the connection are released. */
export class GameUnavailableError extends Error {
  override name = 'GameUnavailableError'
}

/** A statement timed out, or met a lock or a serialization failure. The connection is still usable. */
export class GameBusyError extends Error {
  override name = 'GameBusyError'
}

/** A view cannot be read until it or its data is corrected: a statement failed on a value. */
export class GameDataError extends Error {
  override name = 'GameDataError'
}

/** A view, or something that it needs, is missing or may not be used. Outside of a view a retry cannot fix it. */
export class GameSchemaError extends ConnectError {
  override name = 'GameSchemaError'
}

/** Another sender has advanced the feed: the state that this one keeps is stale. */
export class StaleFeedError extends Error {
  override name = 'StaleFeedError'
}
