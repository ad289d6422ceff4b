import http, { type Agent } from 'node:http'

interface Called {
  status: number
  headers: http.IncomingHttpHeaders
  body: string
}

interface Call {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** Keeps connections; without, each call has one of its own. */
  agent?: Agent
}

/** One call, as it is: nothing is tried again. */
export function call(url: string, { method = 'GET', headers = {}, body, agent }: Call = {}): Promise<Called> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent: agent ?? false }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', part => (text += part))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
    })
    request.on('error', reject)
    request.end(body)
  })
}
