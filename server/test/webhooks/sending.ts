import type { TestContext } from 'node:test'
import {
  createSender,
  type Message,
  type Sender,
  type SenderOptions,
} from '../../src/webhooks/outbound/sender.ts'

/** A sender that ends with its test. Local receivers are allowed, and waited for as long as a busy machine needs, unless said otherwise. */
export function openSender(t: TestContext, options: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({ allowsLocal: true, timeoutMs: 60_000, ...options })
  t.after(() => sender.close())
  return sender
}

export const messageTo = (url: string): Message => ({
  url,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Chancery/1.2.3',
    'webhook-id': 'evt_1',
  },
  body: '{"type":"war.declared","data":{"note":"größer"}}',
})
