/** Sources are three levels below the repository's root, the bundle in `cli/dist` two. */
const root = new URL(
  import.meta.url.endsWith('/start/asset-url.ts') ? '../../../' : '../../',
  import.meta.url,
)

/** The URL of a file that is read at run time, by its path in the repository. */
export const assetUrl = (path: string): URL => new URL(path, root)
