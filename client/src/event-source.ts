/** What a server-sent-events stream says at a time: a position, an event, how long to wait before coming back. */
export interface Message {
  id?: string
  data?: string
  retryMs?: number
}

/** No event is nearly as long: a stream without an end of its line is none. */
const lineMax = 4_000_000

/**
 * Takes server-sent events apart, however they are cut. A message whose empty line has not come is not told.
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
    // A carriage return at the end may be half of a line's end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    if (rest.length > lineMax) throw new Error('a line of the stream does not end')
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
