import { connect } from 'node:net'

/** A response as it came over the wire. */
export interface RawResponse {
  status: number
  headers: Record<string, string>
  /** As far as the headers promise it: a HEAD or 304 has none. */
  body: string
  bytes: Buffer
}

export interface RawExchange {
  responses: RawResponse[]
  /** Received after them, not a whole response. */
  rest: string
  /** The server ended the connection. */
  isClosed: boolean
}

/**
 * Sends bytes as they are and reads `count` responses; after `connection: close` it reads to the end of the connection.
 * `bodiless` lists the responses (from 0) whose content-length promises a body that is not sent.
 */
export function sendRaw(
  url: string,
  text: string | Buffer,
  { count = 1, bodiless = [] }: { count?: number; bodiless?: number[] } = {},
): Promise<RawExchange> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = Buffer.alloc(0)
    const finish = (isClosed: boolean) => {
      socket.destroy()
      resolve({ ...parse(received, bodiless), isClosed })
    }
    socket.on('data', data => {
      received = Buffer.concat([received, data])
      const { responses } = parse(received, bodiless)
      if (responses.length >= count && responses.at(-1)?.headers.connection !== 'close') finish(false)
    })
    socket.on('end', () => finish(true))
    socket.on('error', error => (received.length > 0 ? finish(true) : reject(error)))
    socket.write(text)
  })
}

function parse(bytes: Buffer, bodiless: number[]): Pick<RawExchange, 'responses' | 'rest'> {
  const responses: RawResponse[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return { responses: responses, rest: rest.toString() }
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const headers = Object.fromEntries(
      lines.map(line => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const status = Number(statusLine.split(' ')[1])
    const head = rest
    rest = rest.subarray(end + 4)
    if (status === 100) continue
    const hasBody = status !== 204 && status !== 304 && !bodiless.includes(responses.length)
    const length = hasBody ? Number(headers['content-length'] ?? 0) : 0
    if (rest.length < length) return { responses: responses, rest: head.toString() }
    const bytes = rest.subarray(0, length)
    responses.push({ status, headers, body: bytes.toString(), bytes })
    rest = rest.subarray(length)
  }
}

/** The one response to a request that is given as its lines. */
export async function sendLines(
  url: string,
  lines: string[],
  options?: { isHead?: boolean },
): Promise<RawResponse> {
  const { responses } = await sendRaw(
    url,
    `${lines.join('\r\n')}\r\n\r\n`,
    options?.isHead ? { bodiless: [0] } : {},
  )
  const [response] = responses
  if (!response || responses.length > 1) throw new Error(`${responses.length} responses to ${lines[0]}`)
  return response
}
