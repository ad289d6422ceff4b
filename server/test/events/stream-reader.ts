import http, { type IncomingHttpHeaders } from 'node:http'
import type { Event } from './log-model.ts'

/** The lines between two empty lines of a stream. */
export interface Block {
  id: number | undefined
  /** The one data line, as received. */
  data: string | undefined
  comment: string | undefined
  retry: number | undefined
}

/** A client of an event stream. */
export interface StreamReader {
  status: number
  headers: IncomingHttpHeaders
  /** Every complete block so far. */
  blocks: readonly Block[]
  /** The body so far. */
  text(): string
  /** The data of every event so far, as received. */
  data(): string[]
  seqs(): number[]
  /** The id that this client would resume from. */
  lastId(): number | undefined
  /** Resolves with the first block that passes, also an earlier one; rejects at the end of the stream or at the timeout. */
  until(passes: (block: Block) => boolean, timeoutMs?: number): Promise<Block>
  /** Every event that the log held when the stream was opened has been received. */
  upToDate(timeoutMs?: number): Promise<Block>
  /** Resolves when the connection is closed. `isWhole`: the response was complete by HTTP. */
  ended: Promise<{ isWhole: boolean }>
  close(): void
}

export interface Opening {
  key?: string | undefined
  headers?: Record<string, string>
  /** Reads this many bytes of the body, then disconnects. */
  cutAtBytes?: number
}

/** Opens a stream on a connection of its own. An error response is read like a stream. */
export function openStream(
  url: string,
  { key, headers = {}, cutAtBytes = Number.POSITIVE_INFINITY }: Opening = {},
): Promise<StreamReader> {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent: false, headers: { ...authorization, ...headers } }, response => {
      const blocks: Block[] = []
      const watchers = new Set<() => void>()
      let text = ''
      let parsed = 0
      let bytes = 0
      let isOver = false
      const { promise: ended, resolve: onEnd } = Promise.withResolvers<{ isWhole: boolean }>()
      const decoder = new TextDecoder()

      response.on('data', (chunk: Buffer) => {
        if (isOver) return
        const taken = chunk.subarray(0, cutAtBytes - bytes)
        bytes += taken.length
        text += decoder.decode(taken, { stream: true })
        for (let end = text.indexOf('\n\n', parsed); end !== -1; end = text.indexOf('\n\n', parsed)) {
          blocks.push(parseBlock(text.slice(parsed, end)))
          parsed = end + 2
        }
        if (bytes >= cutAtBytes) over(false)
        else for (const watcher of watchers) watcher()
      })
      const over = (isWhole: boolean) => {
        isOver = true
        request.destroy()
        onEnd({ isWhole })
        for (const watcher of watchers) watcher()
      }
      response.on('error', () => undefined)
      response.on('close', () => over(response.complete))

      const reader: StreamReader = {
        status: response.statusCode ?? 0,
        headers: response.headers,
        blocks,
        text: () => text,
        data: () => blocks.flatMap(({ data }) => data ?? []),
        seqs: () => blocks.flatMap(({ data }) => (data ? (JSON.parse(data) as Event).seq : [])),
        lastId: () => blocks.findLast(({ id }) => id !== undefined)?.id,
        until: (passes, timeoutMs = 60_000) =>
          new Promise((found, failed) => {
            let looked = 0
            const finish = (complete: () => void) => {
              clearTimeout(timer)
              watchers.delete(look)
              complete()
            }
            const look = () => {
              for (; looked < blocks.length; looked += 1) {
                const block = blocks[looked]
                if (block && passes(block)) return finish(() => found(block))
              }
              if (isOver) finish(() => failed(new Error(`the stream has ended: …${text.slice(-300)}`)))
            }
            const timer = setTimeout(
              () => finish(() => failed(new Error(`no such block: …${text.slice(-300)}`))),
              timeoutMs,
            )
            watchers.add(look)
            look()
          }),
        upToDate: timeoutMs => reader.until(({ comment }) => comment === 'up to date', timeoutMs),
        ended,
        close: () => over(false),
      }
      resolve(reader)
    })
    request.on('error', reject)
  })
}

function parseBlock(text: string): Block {
  const block: Block = { id: undefined, data: undefined, comment: undefined, retry: undefined }
  for (const line of text.split('\n')) {
    const [, field, value = ''] = /^(id|data|retry|): ?(.*)$/s.exec(line) ?? []
    if (field === 'id' && /^\d+$/.test(value)) block.id = Number(value)
    else if (field === 'retry') block.retry = Number(value)
    else if (field === 'data' && block.data === undefined) block.data = value
    else if (field === '' && block.comment === undefined) block.comment = value
    else throw new Error(`not a line of a stream: ${line}`)
  }
  return block
}
