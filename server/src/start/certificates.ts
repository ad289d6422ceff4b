import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Server as HttpServer } from 'node:http'
import { Server } from 'node:https'
import { createSecureContext } from 'node:tls'
import { reasonOf } from '../http/errors.ts'
import type { Logger } from '../telemetry/log.ts'
import type { TlsFiles } from './config.ts'
import { StartupError } from './startup-error.ts'

/** A certificate chain and its private key, both PEM. */
export interface Certificate {
  cert: Buffer
  key: Buffer
}

/** The key is another certificate's. */
class KeyMismatchError extends Error {
  override name = 'KeyMismatch'
}

/**
 * @throws where nobody could be shown the certificate: one of the two is none, or they do not belong together. OpenSSL takes a key of
 * another kind than the certificate's without a word (RSA, elliptic curves), and then refuses whoever connects.
 */
function checkCertificate({ cert, key }: Certificate): void {
  createSecureContext({ cert, key })
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new KeyMismatchError()
}

/** @throws {StartupError} that names the variable, beginning with `prefix`, whose file cannot be read, or is not what it must be. */
export async function readCertificate({ certFile, keyFile }: TlsFiles, prefix: string): Promise<Certificate> {
  const read = (variable: string, file: string) =>
    readFile(file).catch(() => {
      throw new StartupError(`${variable}: the file ${file} cannot be read`)
    })
  const found = { cert: await read(`${prefix}_CERT`, certFile), key: await read(`${prefix}_KEY`, keyFile) }
  try {
    checkCertificate(found)
  } catch (error) {
    throw new StartupError(
      `${prefix}_CERT: the files ${certFile} and ${keyFile} are not a certificate and its private key, both PEM (${reasonOf(error)})`,
    )
  }
  return found
}

export interface Renewal {
  files: TlsFiles
  current: Certificate
  everyMs?: number | undefined
  log: Pick<Logger, 'info' | 'warn'>
}

const usualEveryMs = 60_000

/**
 * Looks at the files of a listener's certificate every minute, and shows new ones to whoever connects from then on. Files are replaced
 * one after the other: until they fit together, and where they cannot be read, what was there goes on. Returns how to stop.
 */
export function watchCertificate(server: HttpServer, renewal: Renewal): () => Promise<void> {
  const { files, everyMs = usualEveryMs, log } = renewal
  let { current } = renewal
  let told: string | undefined

  async function look(): Promise<void> {
    try {
      const found = { cert: await readFile(files.certFile), key: await readFile(files.keyFile) }
      if (!isSame(found, current)) {
        checkCertificate(found)
        if (server instanceof Server) server.setSecureContext(found)
        current = found
        log.info({ file: files.certFile }, 'the certificate was renewed')
      }
      told = undefined
    } catch (error) {
      const reason = reasonOf(error)
      if (reason !== told) log.warn({ reason, file: files.certFile }, 'the certificate could not be renewed')
      told = reason
    }
  }

  const timer = setInterval(() => void look(), everyMs)
  timer.unref()
  return async () => clearInterval(timer)
}

const isSame = (one: Certificate, other: Certificate) =>
  one.cert.equals(other.cert) && one.key.equals(other.key)
