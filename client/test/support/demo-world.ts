import { createWorld, demoViewers, linesOf } from '@chancery/simulator'
import { useFixture } from '../../../server/test/support/fixture.ts'
import { startTestServer, type TestServer } from '../../../server/test/support/test-server.ts'

/** A small demo world, served. */
export type Served = TestServer & { viewers: ReturnType<typeof demoViewers> }

/** Serves a demo world to the tests of a file. */
export const useDemoWorld = (env: Record<string, string> = {}): Served =>
  useFixture(async () => {
    const chancery = await startTestServer(env)
    const world = createWorld({ nations: 100, days: 40, seed: 5, endsAt: '2026-05-27T18:00:00Z' })
    await chancery.send([...world.history()].map(linesOf).join(''))
    await chancery.ingest([])
    return { ...chancery, viewers: demoViewers(world) }
  })
