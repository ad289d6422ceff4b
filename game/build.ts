import { buildFiles, type PackageFile } from '../client/build.ts'

/** Builds @chancery/game. `publisher`: members of package.json that name who publishes it. */
export const buildGame = (publisher: object = {}): PackageFile[] =>
  buildFiles(new URL('./', import.meta.url), publisher)
