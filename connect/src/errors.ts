/** Why connecting a game failed, in one line that says what to do. Trying again does not help. */
export class ConnectError extends Error {
  override name = 'ConnectError'
}

/** The service cannot be asked now. Of a batch that was under way it is not known whether it was applied. */
export class ServiceAway extends Error {
  override name = 'ServiceAway'
}

/** The game's database cannot be asked now; what its connection held is gone. */
export class GameAway extends Error {
  override name = 'GameAway'
}

/** A statement did not come through: it waited too long, or met another one. The connection goes on. */
export class GameBusy extends Error {
  override name = 'GameBusy'
}

/** A statement met a value that it cannot work with: what it reads is unreadable until somebody mends it. */
export class GameDataError extends Error {
  override name = 'GameDataError'
}

/** Another sender of the same feed was faster: what this one knew of the world is not true any more. */
export class Overtaken extends Error {
  override name = 'Overtaken'
}
