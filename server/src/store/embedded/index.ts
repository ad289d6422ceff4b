export { EmbeddedError } from './embedded-error.ts'
export { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from './embedded-server.ts'
