import type { TestContext } from 'node:test'
import {
  createSender,
  type Message,
  type Sender,
  type SenderOptions,
} from '../../src/webhooks/outgoing/send.ts'

/** A sender that ends with its test; local receivers are allowed unless said otherwise. */
export function openSender(t: TestContext, options: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({ allowsLocal: true, ...options })
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
