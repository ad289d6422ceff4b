import { connect } from 'node:net'

export interface LoopOrder {
  url: string
  path: string
  /** A connection with each of them. */
  keys: readonly string[]
  seconds: number
}

/**
 * Asks one thing over and over on connections that stay, one call at a time on each. By hand, because a client library needs as
 * much of a core as the service that is measured. Returns how many calls were answered with 200.
 */
export async function runKeepAliveLoop(order: LoopOrder): Promise<number> {
  const deadline = performance.now() + order.seconds * 1000
  const counts = await Promise.all(order.keys.map(key => runOne(order, key, deadline)))
  return counts.reduce((sum, count) => sum + count, 0)
}

function runOne({ url, path }: LoopOrder, key: string, deadline: number): Promise<number> {
  const { hostname, port, host } = new URL(url)
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.setNoDelay(true)
    let received = ''
    let count = 0
    socket.on('connect', () => socket.write(request))
    socket.on('error', reject)
    socket.on('data', data => {
      received += data.toString('latin1')
      const headersEnd = received.indexOf('\r\n\r\n')
      if (headersEnd === -1) return
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1])
      if (received.length < headersEnd + 4 + length) return
      if (!received.startsWith('HTTP/1.1 200')) {
        reject(new Error(`the service answered ${received.slice(0, 40)}`))
        socket.destroy()
        return
      }
      received = ''
      count += 1
      if (performance.now() < deadline) socket.write(request)
      else {
        socket.destroy()
        resolve(count)
      }
    })
  })
}
