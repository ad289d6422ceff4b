/** A server-sent message: a position, an event, or the delay before reconnecting. */
export interface Message {
  id?: string
  data?: string
  retryMs?: number
}

/** Far longer than any event: a longer line is not from an event stream. */
const lineMax = 4_000_000

/**
 * Parses server-sent events in chunks. An incomplete message is not returned.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function createEventParser(): (chunk: string) => Message[] {
  let rest = ''
  let message: Message = {}

  function readLine(line: string): void {
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'data') message.data = message.data === undefined ? value : `${message.data}\n${value}`
    if (field === 'id' && !value.includes('\0')) message.id = value
    if (field === 'retry' && /^\d{1,9}$/.test(value)) message.retryMs = Number(value)
  }

  return chunk => {
    const messages: Message[] = []
    rest += chunk
    // A carriage return at the end of a chunk may be the first half of CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    if (rest.length > lineMax) throw new Error('a line of the stream is too long')
    for (const line of lines) {
      if (line !== '') {
        readLine(line)
        continue
      }
      if (Object.keys(message).length > 0) messages.push(message)
      message = {}
    }
    return messages
  }
}
