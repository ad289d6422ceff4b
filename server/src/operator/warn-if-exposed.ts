import type { Logger } from '../telemetry/log.ts'

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/i

/** Tells whoever runs the service where tokens and facts cross a network as they are. */
export function warnIfExposed(
  log: Pick<Logger, 'warn'>,
  { host, hasTls }: { host: string; hasTls: boolean },
): void {
  if (hasTls || loopback.test(host)) return
  log.warn(
    { host },
    'the operator listener is reached over a network without TLS: set CHANCERY_OPERATOR_TLS_CERT and CHANCERY_OPERATOR_TLS_KEY, or see that the network is private',
  )
}
