/** One request of the load. */
export interface Ask {
  /** Path and query. */
  path: string
  headers?: Record<string, string>
  /** With one it is a POST of JSON. */
  body?: string
}

/** What goes over the wire. Written once, before the measurement: whoever writes requests while it runs measures that. */
export function wireTextOf({ path, headers = {}, body }: Ask): string {
  const lines = [
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  if (body !== undefined)
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}
