import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Server as HttpServer } from 'node:http'
import { Server } from 'node:https'
import { createSecureContext } from 'node:tls'
import { reasonOf } from '../http/http-error.ts'
import type { Logger } from '../telemetry/log.ts'
import { StartupError } from './startup-error.ts'

/** Paths of a certificate chain and its private key, both PEM. */
export interface TlsFiles {
  certFile: string
  keyFile: string
}

/** A certificate chain and its private key, and the files that they were read from. */
export interface Certificate {
  cert: Buffer
  key: Buffer
  files: TlsFiles
}

class KeyMismatchError extends Error {
  override name = 'KeyMismatchError'
}

/**
 * @throws if no client could connect with it: one of the two is not valid, or they do not belong together. OpenSSL accepts a key of
 * another kind than the certificate's (RSA, elliptic curves) and only fails in the handshake.
 */
function checkCertificate({ cert, key }: Certificate): void {
  createSecureContext({ cert, key })
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new KeyMismatchError()
}

/** @throws {StartupError} if a file cannot be read or is not valid; `prefix` begins the names of the variables. */
export async function readCertificate(files: TlsFiles, prefix: string): Promise<Certificate> {
  const { certFile, keyFile } = files
  const read = (variable: string, file: string) =>
    readFile(file).catch(() => {
      throw new StartupError(`${variable}: the file ${file} cannot be read`)
    })
  const cert = await read(`${prefix}_CERT`, certFile)
  const certificate = { cert, key: await read(`${prefix}_KEY`, keyFile), files }
  try {
    checkCertificate(certificate)
  } catch (error) {
    throw new StartupError(
      `${prefix}_CERT: the files ${certFile} and ${keyFile} are not a certificate and its private key, both PEM (${reasonOf(error)})`,
    )
  }
  return certificate
}

const usualEveryMs = 60_000

/**
 * Hot reload: reads the files of a listener's certificate again every minute; new connections get the new certificate. Files are replaced one after
 * the other: until both are readable and belong together, the previous certificate stays in use.
 */
export function watchCertificate(
  server: HttpServer,
  certificate: Certificate,
  { everyMs = usualEveryMs, log }: { everyMs?: number | undefined; log: Pick<Logger, 'info' | 'warn'> },
): { close(): void } {
  const { files } = certificate
  let current = certificate
  let lastReason: string | undefined

  async function reload(): Promise<void> {
    try {
      const cert = await readFile(files.certFile)
      const next = { cert, key: await readFile(files.keyFile), files }
      if (!next.cert.equals(current.cert) || !next.key.equals(current.key)) {
        checkCertificate(next)
        if (server instanceof Server) server.setSecureContext({ cert: next.cert, key: next.key })
        current = next
        log.info({ file: files.certFile }, 'certificate reloaded')
      }
      lastReason = undefined
    } catch (error) {
      const reason = reasonOf(error)
      if (reason !== lastReason)
        log.warn({ reason, file: files.certFile }, 'certificate not reloaded: the previous one stays in use')
      lastReason = reason
    }
  }

  const timer = setInterval(() => void reload(), everyMs)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
