const chunkLength = 262_144

/** Lines as NDJSON, in parts of a size that goes well over a connection. */
export async function* ndjson(lines: Iterable<string>): AsyncGenerator<string> {
  let part = ''
  for (const line of lines) {
    part += `${line}\n`
    if (part.length < chunkLength) continue
    yield part
    part = ''
  }
  if (part !== '') yield part
}

/** Closes a batch; `feed` says after which one it comes, and `announce: false` that it is history and no news. */
export const commitLine = (
  batch: string,
  more: { feed?: { name: string; after: string | null }; announce?: false } = {},
) => JSON.stringify({ op: 'commit', batch, ...more })
