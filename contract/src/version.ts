import manifest from '../package.json' with { type: 'json' }

/**
 * The release, as every package.json names it. The documents that are generated from the contract carry it; the version of the API is
 * the number in its path.
 */
export const version: string = manifest.version
