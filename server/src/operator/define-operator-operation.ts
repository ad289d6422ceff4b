import { type Contract, limits, type OperatorOperation } from '@chancery/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashToken } from '../account/session/tokens.ts'
import { createDefiner, type Define } from '../http/definer.ts'
import { createInputValidator } from '../http/input-validator.ts'
import type { RevocationWatcher } from '../http/revocation-watcher.ts'
import type { IngestContext } from '../ingest/process-batch.ts'
import type { RequestLog } from '../request-log/request-log.ts'
import { type ConnectionTarget, type Database, sql } from '../store/database.ts'
import type { Pools } from '../store/pools.ts'
import type { Pulse } from '../store/pulse.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { hashCodesIn } from '../verification/code-text.ts'
import type { ReadQueue } from '../webhooks/metrics.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'
import type { AuditLog } from './audit-log.ts'
import { actorOf, bearerOf, type OperatorCaller } from './authentication.ts'
import { missingToken, OperatorError } from './operator-error.ts'

/** Dependencies of the handlers. */
export interface OperatorContext {
  contract: Contract
  pools: Pools
  target: ConnectionTarget
  pulse: Pulse
  ingest: IngestContext
  metrics: Metrics
  log: Logger
  webhooks: WebhookSettings
  webhookQueue: ReadQueue
  requestLog: Pick<RequestLog, 'read'>
  auditLog: AuditLog
  addressLimits: { refresh(): Promise<void> }
  tokenWatcher: RevocationWatcher
  /** The public listener's external URL, known once it listens. */
  publicUrl: () => string
  version: string
  /** Number of the last migration at the start. */
  migration: number
}

export interface OperatorRequest {
  caller: OperatorCaller
  req: FastifyRequest
  reply: FastifyReply
}

export interface OperatorResult {
  body: unknown
  /** Default: the lowest status of the operation. */
  status?: number
  /** Default: JSON. */
  contentType?: string
  /** The id of the changed item for the audit log, never a secret. Default: the path parameter. */
  subject?: string | null
}

/** Registers an operation of the operator API with validation, secret scanning and the audit log. */
export type DefineOperatorOperation = Define<OperatorOperation, OperatorRequest, OperatorResult>

export const createDefineOperatorOperation = (
  app: FastifyInstance,
  { auditLog, pools }: Pick<OperatorContext, 'auditLog' | 'pools'>,
): DefineOperatorOperation =>
  createDefiner<OperatorOperation, OperatorRequest, OperatorResult>({
    app,
    bases: [''],
    route: operation => ({
      method: operation.method,
      config: { operatorOperation: operation },
      exposeHeadRoute: false,
    }),
    steps(operation) {
      const { method, path, stream, responses } = operation
      const { body: _, ...withoutBody } = operation
      const success = Math.min(...Object.keys(responses).map(Number))
      // Operations with streams write the audit log themselves, per batch, and validate their bodies.
      const hasEffect = method !== 'GET' && !stream
      const isAudited = hasEffect && operation.isAudited !== false
      return {
        validateAndAuthorize: createInputValidator<OperatorOperation>(
          stream ? withoutBody : operation,
          message => new OperatorError('bad_request', message),
        ),
        async respond({ req, reply, input: { id, body } }, runHandler) {
          const caller = req.operator
          if (!caller) throw missingToken()
          if (hasEffect) {
            const texts = [{ place: 'the id in the path', text: id }, ...stringsIn(body, '')]
            rejectUnstorable(texts)
            await rejectSecrets(pools.access, texts, bearerOf(req))
          }
          const run = async () => {
            const result = await runHandler({ caller, req, reply })
            return { status: success, subject: id || null, ...result }
          }
          const result = isAudited
            ? await auditLog.record(actorOf(caller), `${method} ${path}`, run)
            : await run()
          if (result.contentType) reply.header('content-type', result.contentType)
          if (result.status === 503) reply.header('retry-after', limits.retryAfterUnavailableSeconds)
          return reply.code(result.status).send(result.body)
        },
      }
    },
  })

/** The prefixes of API keys, operator tokens and webhook secrets, with enough characters after them to be one or most of one. */
const secret = /(?<![A-Za-z0-9])(?:chk|cho|whsec)_[A-Za-z0-9+/_-]{12}/

/** Whether a text contains a secret of this service by its form, or the token of the request. */
export const containsSecret = (text: string, token: string): boolean =>
  secret.test(text) || (token !== '' && text.includes(token))

/**
 * Rejects secrets in ids and bodies: what is stored or logged has more readers than the secret may have.
 * @throws {OperatorError} naming the place, not the value.
 */
async function rejectSecrets(db: Database, texts: PlacedText[], token: string): Promise<void> {
  for (const { place, text } of texts)
    if (containsSecret(text, token) || (await isIssued(db, text))) {
      throw new OperatorError(
        'bad_request',
        `Secret in ${place}: the value contains an API key, token, code or webhook secret. Remove it, and revoke the secret if others may have seen it.`,
      )
    }
}

/** Verification codes and the tokens of links and sessions have no prefix: issued ones are found by their hashes. */
async function isIssued(db: Database, text: string): Promise<boolean> {
  const codes = hashCodesIn(text)
  const tokens = text.split(/[^A-Za-z0-9_-]+/).flatMap(word => hashToken(word) ?? [])
  if (codes.length + tokens.length === 0) return false
  const row = await db.first<{ is_known: boolean }>(sql`
    select exists (select from chancery_access.verification_code where hash = any(${codes}::bytea[]))
      or exists (select from chancery_access.handover where hash = any(${tokens}::bytea[]))
      or exists (select from chancery_access.session where hash = any(${tokens}::bytea[])) as is_known`)
  return row?.is_known ?? false
}

/** All strings of a body, each with its JSON pointer. */
interface PlacedText {
  place: string
  text: string
}

/** @throws {OperatorError} where PostgreSQL cannot store a text, also as part of JSON. */
function rejectUnstorable(texts: PlacedText[]): void {
  for (const { place, text } of texts)
    if (text.includes('\0') || !text.isWellFormed())
      throw new OperatorError('bad_request', `A NUL character or a lone surrogate is in ${place}.`)
}

function stringsIn(value: unknown, place: string): PlacedText[] {
  if (typeof value === 'string') return [{ place, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => stringsIn(member, `${place}/${name}`))
}
