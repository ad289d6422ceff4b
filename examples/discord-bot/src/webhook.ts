import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type Chancery, type ChanceryEvent, verifyWebhook, WebhookError } from '@chancery/client'
import type { Store } from './store.ts'

export interface WebhookOptions {
  client: Pick<Chancery, 'invalidate'>
  store: Pick<Store, 'hasSeen' | 'addSeen'>
  /** `whsec_…`; during a rotation both. */
  secrets: readonly string[]
  handle(event: ChanceryEvent): Promise<void>
  onError(err: unknown): void
}

const bodyBytesMax = 1_048_576

/** Receives events by webhook, each once. Failed events get a 500, so that the service retries them. */
export const createWebhookServer = (options: WebhookOptions): Server =>
  createServer(async (req, res) => {
    const status = await receive(req, options).catch(err => {
      options.onError(err)
      return 500
    })
    res.writeHead(status).end()
  })

async function receive(req: IncomingMessage, options: WebhookOptions): Promise<number> {
  const { client, store, secrets, handle } = options
  if (req.method !== 'POST') return 405
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of req) {
    bytes += chunk.length
    if (bytes <= bodyBytesMax) chunks.push(chunk)
  }
  if (bytes > bodyBytesMax) return 413
  try {
    const message = await verifyWebhook(req.headers, Buffer.concat(chunks), secrets)
    const event = message.data as ChanceryEvent
    if (message.type === 'webhook.test' || store.hasSeen(event.id)) return 204
    client.invalidate(event)
    await handle(event)
    store.addSeen(event.id)
    return 204
  } catch (err) {
    if (err instanceof WebhookError) return 401
    throw err
  }
}
