import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { webhooks } from '@chancery/contract'
import { buildConnector } from 'undici'
import { patch100Continue } from '../outgoing/accept-continue.ts'
import { guardLookup } from '../outgoing/guarded-lookup.ts'
import { SendError, type SendErrorCode } from '../outgoing/send-error.ts'

/**
 * What may come over a connection for one request: several times what is read of a body, because the socket reads ahead, and
 * because a status may be followed by a body that is not read to its end.
 */
const responseBytesMax = 4 * webhooks.responseBytesMax

/** How often connections are checked on which bytes arrive that are never read from the stream, such as those of TLS itself. */
const checkEveryMs = 250

/** How long a name's next address waits for the one before it. Node's 250 ms give up receivers on the other side of the globe. */
const nextAddressAfterMs = 2_000

export interface ConnectorOptions {
  /** Which addresses may be connected to. */
  isAllowed: (address: string) => boolean
  lookup: LookupFunction
  /** From the look-up to the end of the handshake. */
  timeoutMs: number
  /** Certificates to trust instead of the usual ones. */
  ca?: SecureContextOptions['ca']
}

/** How undici connects, and what it has open. */
export interface Connector {
  connect: buildConnector.connector
  /** Connections that stand or are being made. */
  openCount(): number
  /** Ends them all. */
  close(): void
}

/** Connects to allowed addresses only; fails with a SendError. */
export function createConnector({ isAllowed, lookup, timeoutMs, ca }: ConnectorOptions): Connector {
  /** Checks the bytes received on each open connection. */
  const open = new Map<Socket, () => void>()
  const checks = setInterval(() => {
    for (const check of open.values()) check()
  }, checkEveryMs).unref()
  const guardedLookup = guardLookup(lookup, isAllowed)
  // It verifies the certificate against the host's name, and remembers TLS sessions. The time limit is kept here.
  const secure = buildConnector({ allowH2: false, timeout: 0, ...(ca && { ca }) })

  function dial(options: buildConnector.Options, finish: (result: SendErrorCode | Socket) => void): void {
    const { hostname, protocol } = options
    const isSecure = protocol === 'https:'
    // A look-up never sees what is an address already. Later: undici is in the middle of setting up what would fail.
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
    let failed: SendErrorCode = 'connection_failed'
    const end = (error: SendErrorCode) => {
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
        // Whatever the look-up said and others did with it: this is where the bytes would go.
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
      const finish = (result: SendErrorCode | Socket) => {
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
 * Destroys the stream when more than `responseBytesMax` has come over its socket since the last request was written. undici counts
 * headers and bodies only: not a status line, chunk extensions or empty lines. Returns a function that checks it now.
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
