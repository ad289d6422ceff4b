import http from 'node:http'

/** Readers of the stream, as many as wanted, who count what they are told and forget it. */
export interface Readers {
  /** Events that were told to all of them together. */
  told(): number
  close(): void
}

const mark = Buffer.from('\ndata:')

export async function openReaders(url: string, count: number): Promise<Readers> {
  const requests: http.ClientRequest[] = []
  let told = 0
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const request = http.get(url, { agent: false }, response => {
        if (response.statusCode !== 200)
          return reject(new Error(`a stream was answered ${response.statusCode}`))
        response.on('error', () => undefined)
        response.on('data', (part: Buffer) => {
          for (let at = part.indexOf(mark); at !== -1; at = part.indexOf(mark, at + 1)) told += 1
        })
        resolve()
      })
      request.on('error', reject)
      requests.push(request)
    })
  for (let opened = 0; opened < count; opened += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - opened) }, open))
  return {
    told: () => told,
    close() {
      for (const request of requests) request.on('error', () => undefined).destroy()
    },
  }
}
