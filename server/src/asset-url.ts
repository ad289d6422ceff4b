const root = new URL('../../', import.meta.url)

/**
 * The address of a file that is read while the service runs, by its path in the repository: all such files are found here. The bundle is
 * in `cli/dist`, as deep below the root as this file: the same path leads to the same file from there.
 */
export const assetUrl = (path: string): URL => new URL(path, root)
