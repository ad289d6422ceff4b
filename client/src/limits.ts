// Written by client/generate/main.ts from the contract. Change the contract, then run: npm run generate

/** The limits of the API that the client uses. */
export const limits = {
  anonymousCalls: 60,
  keyCalls: 120,
  windowSeconds: 60,
  sharedCacheSeconds: 60,
  pageSizeMax: 100,
  streamHeartbeatSeconds: 15,
  streamRetrySeconds: 3,
}
