/** The beginning of a stream of server-sent events. */
export interface Streamed {
  status: number
  contentType: string | null
  /** Of every event: its id, and what its data parses to. */
  events: { id: string; data: unknown }[]
}

const timeoutMs = 20_000

/** Reads a stream until it has told so many events, and hangs up. */
export async function listen(url: string, headers: Record<string, string>, count: number): Promise<Streamed> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) })
  const events: Streamed['events'] = []
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const lines = block.split('\n')
      const [id, data] = ['id: ', 'data: '].map(name =>
        lines.find(line => line.startsWith(name))?.slice(name.length),
      )
      if (id !== undefined && data !== undefined) events.push({ id, data: JSON.parse(data) })
    }
    if (events.length >= count || response.status !== 200) break
  }
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    events: events.slice(0, count),
  }
}
