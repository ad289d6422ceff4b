import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

export interface Sockets {
  all: Socket[]
  /** How many of them have ended. */
  ended(): number
  /** The text received on each. */
  texts: Map<Socket, string>
  destroy(): void
}

export interface SocketsOptions {
  count: number
  /** Sent on each as soon as it is open. */
  text?: string
  /** Whether responses are read. */
  reads?: boolean
  /** The local address of each socket, by number. */
  from?: (index: number) => string
}

/** How many are opened at a time. */
const concurrency = 200

/** Opens connections. Rejected ones count as ended. */
export async function openSockets(url: string, options: SocketsOptions): Promise<Sockets> {
  const { count, text, reads = true, from } = options
  const { hostname, port } = new URL(url)
  const all: Socket[] = []
  const texts = new Map<Socket, string>()
  let ended = 0

  async function open(index: number): Promise<void> {
    const localAddress = from?.(index)
    const socket = connect({ host: hostname, port: Number(port), ...(localAddress ? { localAddress } : {}) })
    all.push(socket)
    texts.set(socket, '')
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      ended += 1
    })
    if (reads) socket.on('data', part => texts.set(socket, texts.get(socket) + part.toString('latin1')))
    else socket.pause()
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    if (text !== undefined && !socket.destroyed) socket.write(text)
  }

  for (let first = 0; first < count; first += concurrency)
    await Promise.all(
      Array.from({ length: Math.min(concurrency, count - first) }, (_, index) => open(first + index)),
    )
  return {
    all,
    ended: () => ended,
    texts,
    destroy() {
      for (const socket of all) socket.destroy()
    },
  }
}

/** Sends a piece on each repeatedly, until all have ended. */
export function drip({ all }: Sockets, piece: string, everyMs: number): void {
  const timer = setInterval(() => {
    const open = all.filter(socket => !socket.destroyed)
    for (const socket of open) socket.write(piece)
    if (open.length === 0) clearInterval(timer)
  }, everyMs)
}

/** How many files this process and its children may open; undefined if unknown. */
export function filesMax(): number | undefined {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
  } catch {
    return undefined
  }
}
