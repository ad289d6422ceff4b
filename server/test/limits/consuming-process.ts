import { connectedLimits, consumeConcurrently } from './connected-limits.ts'

/** A process that connects two stores, and consumes at the second message. */
process.once('message', async (call: { url: string; subject: string; limit: number; times: number }) => {
  const stores = [await connectedLimits(call.url), await connectedLimits(call.url)]
  process.send?.('connected')
  process.once('message', async () => {
    process.send?.(await consumeConcurrently(stores, call))
    await Promise.all(stores.map(store => store.close()))
    process.disconnect()
  })
})
