import { createServer, type IncomingMessage, type Server } from 'node:http'
import {
  type Chancery,
  type ChanceryEvent,
  verifyWebhook,
  WebhookError,
  type WebhookMessage,
} from '@chancery/client'
import type { Store } from './store.ts'

export interface WebhookParts {
  client: Pick<Chancery, 'forget'>
  store: Pick<Store, 'hasSeen' | 'keepSeen'>
  /** `whsec_…`; while one replaces another, both. */
  secrets: readonly string[]
  handle(event: ChanceryEvent): Promise<void>
  onError(err: unknown): void
}

/** An event is well below a kilobyte as a rule. */
const bodyBytesMax = 1_048_576

/** Receives events by webhook. An event that comes again, as after a lost answer, is taken once. */
export function webhookReceiver(parts: WebhookParts): Server {
  return createServer((req, res) => {
    receive(req, parts).then(
      status => res.writeHead(status).end(),
      err => {
        parts.onError(err)
        // The service sends it again.
        res.writeHead(500).end()
      },
    )
  })
}

async function receive(
  req: IncomingMessage,
  { client, store, secrets, handle }: WebhookParts,
): Promise<number> {
  if (req.method !== 'POST') return 405
  const body = await read(req)
  if (body === undefined) return 413
  const message = await verified(req, body, secrets)
  if (message === undefined) return 401
  const event = eventOf(message)
  if (event === undefined || store.hasSeen(event.id)) return 204
  client.forget(event)
  await handle(event)
  store.keepSeen(event.id)
  return 204
}

/** Undefined where the message must not be believed. */
async function verified(
  req: IncomingMessage,
  body: Buffer,
  secrets: readonly string[],
): Promise<WebhookMessage | undefined> {
  try {
    return await verifyWebhook(req.headers, body, secrets)
  } catch (err) {
    if (err instanceof WebhookError) return undefined
    throw err
  }
}

/** The event that a message brings; undefined for a test. */
const eventOf = (message: WebhookMessage): ChanceryEvent | undefined =>
  // The type of the message decides which of the two shapes its data has.
  message.type === 'webhook.test' ? undefined : (message.data as ChanceryEvent)

/** The bytes as they came; undefined where there are too many. */
async function read(req: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of req) {
    bytes += chunk.length
    if (bytes <= bodyBytesMax) chunks.push(chunk)
  }
  return bytes > bodyBytesMax ? undefined : Buffer.concat(chunks)
}
