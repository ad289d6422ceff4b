import { connect } from 'node:net'

/** An answer as it came over the wire. */
export interface RawResponse {
  status: number
  headers: Record<string, string>
  /** As far as the headers promise it: a HEAD or 304 has none. */
  body: string
  bytes: Buffer
}

export interface Exchange {
  answers: RawResponse[]
  /** What came after them, and is no whole answer. */
  rest: string
  /** The server ended the connection. */
  isClosed: boolean
}

/**
 * Sends bytes as they stand, and reads until `count` answers are there; where the last one says that the connection
 * closes, until it does.
 * `bodiless` names the answers (from 0) whose content-length promises a body that does not come.
 */
export function exchange(
  url: string,
  text: string | Buffer,
  { count = 1, bodiless = [] }: { count?: number; bodiless?: number[] } = {},
): Promise<Exchange> {
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
      const { answers } = parse(received, bodiless)
      if (answers.length >= count && answers.at(-1)?.headers.connection !== 'close') finish(false)
    })
    socket.on('end', () => finish(true))
    socket.on('error', error => (received.length > 0 ? finish(true) : reject(error)))
    socket.write(text)
  })
}

function parse(bytes: Buffer, bodiless: number[]): Pick<Exchange, 'answers' | 'rest'> {
  const answers: RawResponse[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return { answers, rest: rest.toString() }
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
    const hasBody = status !== 204 && status !== 304 && !bodiless.includes(answers.length)
    const length = hasBody ? Number(headers['content-length'] ?? 0) : 0
    if (rest.length < length) return { answers, rest: head.toString() }
    const bytes = rest.subarray(0, length)
    answers.push({ status, headers, body: bytes.toString(), bytes })
    rest = rest.subarray(length)
  }
}

/** The one answer to a request that is given as its lines. */
export async function sendLines(
  url: string,
  lines: string[],
  options?: { isHead?: boolean },
): Promise<RawResponse> {
  const { answers } = await exchange(
    url,
    `${lines.join('\r\n')}\r\n\r\n`,
    options?.isHead ? { bodiless: [0] } : {},
  )
  const [answer] = answers
  if (!answer || answers.length > 1) throw new Error(`${answers.length} answers to ${lines[0]}`)
  return answer
}
