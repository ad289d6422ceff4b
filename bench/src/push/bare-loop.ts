import { Agent } from 'undici'
import type { BareLoopOrder, BareLoopResult } from './messages.ts'

// What is possible at all: a loop that posts messages that are already written and signed, and remembers nothing.

process.once('message', async ({ url, posts, count, concurrency }: BareLoopOrder) => {
  const agent = new Agent({ connections: concurrency })
  const { origin, pathname } = new URL(url)
  let next = 0
  async function post(): Promise<void> {
    while (next < count) {
      const { headers, body } = posts[next++ % posts.length] ?? { headers: {}, body: '' }
      const response = await agent.request({ origin, path: pathname, method: 'POST', headers, body })
      await response.body.dump()
    }
  }
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: concurrency }, post))
  const result: BareLoopResult = { perSecond: count / ((performance.now() - startedMs) / 1000) }
  await agent.close()
  process.send?.(result, () => process.disconnect())
})
