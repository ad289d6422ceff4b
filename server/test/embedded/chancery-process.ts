// A process with a bundled server in it, to be killed by the tests.
// Arguments: the options as JSON, and how it ends without closing once it is up (`exit`, `throw`).

import type { EmbeddedOptions } from '../../src/store/embedded/embedded-server.ts'
import { startOn } from '../../src/store/embedded/embedded-server.ts'
import { thisHost } from '../../src/store/embedded/host.ts'

const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`)

const { orphanGraceSeconds, ...options }: EmbeddedOptions & { orphanGraceSeconds: number } = JSON.parse(
  process.argv[2] ?? '{}',
)
try {
  const server = await startOn({ ...thisHost(), orphanGraceSeconds }, options)
  const { connection, isAdopted, isNew } = server
  say({ connection, isAdopted, isNew })
  if (process.argv[3] === 'throw')
    setImmediate(() => {
      throw new Error('nobody catches this')
    })
  else if (process.argv[3] !== 'exit')
    process.stdin.once('data', async () => {
      await server.close()
      process.exit()
    })
} catch (err) {
  say({
    refusal:
      err instanceof Error ? { name: err.name, message: err.message } : { name: '', message: String(err) },
  })
}
