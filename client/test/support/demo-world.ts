import { after, before } from 'node:test'
import { createWorld, demoViewers, linesOf } from '@chancery/simulator'
import { startTestServer, type TestServer } from '../../../server/test/support/test-server.ts'

/** A small demo world, served. */
export type Served = TestServer & { viewers: ReturnType<typeof demoViewers> }

/** Serves a demo world to the tests of a file. */
export function serveDemoWorld(env: Record<string, string> = {}): () => Served {
  let served: Served | undefined
  before(async () => {
    const chancery = await startTestServer(env)
    const world = createWorld({ nations: 100, days: 40, seed: 5, endsAt: '2026-05-27T18:00:00Z' })
    await chancery.send([...world.history()].map(linesOf).join(''))
    await chancery.ingest([])
    served = { ...chancery, viewers: demoViewers(world) }
  })
  after(() => served?.close())
  return () => {
    if (!served) throw new Error('the demo world is not served yet')
    return served
  }
}
