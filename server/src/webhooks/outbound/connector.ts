import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { type DeliveryError, webhooks } from '@chancery/contract'
import { buildConnector } from 'undici'
import { guardLookup, SendError } from './guard.ts'

/** Bytes allowed on a connection per request: several times the body limit, because sockets read ahead and bodies may be left unread. */
const responseBytesMax = 4 * webhooks.responseBytesMax

/** How often connections are checked for bytes that are never read from the stream, such as those of TLS itself. */
const checkEveryMs = 250

/** Delay before the next address of a name is tried. Node's default of 250 ms fails for receivers on the other side of the globe. */
const nextAddressAfterMs = 2_000

export interface ConnectorOptions {
  isAllowed: (address: string) => boolean
  lookup: LookupFunction
  /** From the name lookup to the end of the TLS handshake. */
  timeoutMs: number
  /** Certificates to trust instead of the usual ones. */
  ca?: SecureContextOptions['ca']
}

/** The connector that undici uses, with its open connections. */
export interface Connector {
  connect: buildConnector.connector
  /** Connections that are open or being opened. */
  openCount(): number
  /** Destroys them all. */
  close(): void
}

/** Connects to allowed addresses only. Fails with a SendError. */
export function createConnector({ isAllowed, lookup, timeoutMs, ca }: ConnectorOptions): Connector {
  /** By open connection: a check of the bytes received. */
  const open = new Map<Socket, () => void>()
  const checks = setInterval(() => {
    for (const check of open.values()) check()
  }, checkEveryMs).unref()
  const guardedLookup = guardLookup(lookup, isAllowed)
  // Verifies the certificate against the host name and caches TLS sessions. The timeout is set below.
  const secure = buildConnector({ allowH2: false, timeout: 0, ...(ca && { ca }) })

  function dial(options: buildConnector.Options, finish: (result: DeliveryError | Socket) => void): void {
    const { hostname, protocol } = options
    const isSecure = protocol === 'https:'
    // A literal address bypasses the lookup. Deferred, because undici is still setting up the connection.
    if (isIP(hostname) && !isAllowed(hostname)) {
      setImmediate(finish, 'address_not_public')
      return
    }
    const socket = connect({
      host: hostname,
      port: Number(options.port) || (isSecure ? 443 : 80),
      lookup: guardedLookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
      noDelay: true,
    })
    let failed: DeliveryError = 'connection_failed'
    const end = (error: DeliveryError) => {
      finish(error)
      socket.destroy()
    }
    const timer = setTimeout(end, timeoutMs, 'timed_out')
    open.set(socket, () => {
      if (socket.bytesRead > responseBytesMax) end('tls_failed')
    })
    socket
      .on('error', error => end(error instanceof SendError ? error.code : failed))
      .on('close', () => {
        clearTimeout(timer)
        open.delete(socket)
        end(failed)
      })
      .on('connect', () => {
        // The actual peer, whatever the lookup returned.
        if (!isAllowed(socket.remoteAddress ?? '')) end('address_not_public')
        else if (isSecure) handshake()
        else ready(socket)
      })

    function handshake(): void {
      failed = 'tls_failed'
      secure({ ...options, httpSocket: socket }, (error, secured) => (error ? end(failed) : ready(secured)))
    }

    function ready(stream: Socket): void {
      clearTimeout(timer)
      open.set(socket, limitBytes(socket, stream))
      finish(patch100Continue(stream))
    }
  }

  return {
    connect(options, callback) {
      let isFinished = false
      const finish = (result: DeliveryError | Socket) => {
        if (isFinished) return
        isFinished = true
        if (typeof result === 'string') callback(new SendError(result), null)
        else callback(null, result)
      }
      dial(options, finish)
    },
    openCount: () => open.size,
    close() {
      clearInterval(checks)
      for (const socket of open.keys()) socket.destroy()
    },
  }
}

/**
 * Destroys the stream when more than `responseBytesMax` has arrived on its socket since the last request was written. undici counts
 * headers and bodies only: not a status line, chunk extensions or empty lines. Returns a function that checks now.
 */
function limitBytes(socket: Socket, stream: Socket): () => void {
  let before = 0
  const check = () => {
    if (socket.bytesRead - before > responseBytesMax) stream.destroy(new SendError('not_http'))
  }
  const read = stream.read.bind(stream)
  stream.read = size => {
    check()
    return stream.destroyed ? null : read(size)
  }
  const write: typeof stream.write = stream.write.bind(stream)
  stream.write = (...parts: unknown[]) => {
    before = socket.bytesRead
    return Reflect.apply(write, stream, parts)
  }
  return check
}

const continueMarker = Buffer.from('HTTP/1.1 100')

/**
 * undici 8 closes a connection on `100 Continue`, although a client must skip one that it did not request (RFC 9110, 15.2); it skips
 * every other 1xx. So a 100 at the beginning of a read becomes a 102. In a response body this could change one digit of the logged text.
 */
function patch100Continue(socket: Socket): Socket {
  const read = socket.read.bind(socket)
  socket.read = size => {
    const chunk: unknown = read(size)
    if (
      Buffer.isBuffer(chunk) &&
      chunk[11] === 0x30 &&
      continueMarker.equals(chunk.subarray(0, continueMarker.length))
    ) {
      chunk[11] = 0x32
    }
    return chunk
  }
  return socket
}
