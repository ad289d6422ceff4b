// A process with a bundled server, which tests kill. Arguments: the options as JSON, and how it ends without
// closing the server (`exit`, `throw`).

import type { EmbeddedOptions } from '../../src/store/embedded/embedded-server.ts'
import { startOn } from '../../src/store/embedded/embedded-server.ts'
import { thisHost } from '../../src/store/embedded/host.ts'

const print = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`)

const { orphanGraceSeconds, ...options }: EmbeddedOptions & { orphanGraceSeconds: number } = JSON.parse(
  process.argv[2] ?? '{}',
)
try {
  const server = await startOn({ ...thisHost(), orphanGraceSeconds }, options)
  const { connection, isAdopted, isNew } = server
  print({ connection, isAdopted, isNew })
  if (process.argv[3] === 'throw')
    setImmediate(() => {
      throw new Error('uncaught')
    })
  else if (process.argv[3] !== 'exit')
    process.stdin.once('data', async () => {
      await server.close()
      process.exit()
    })
} catch (err) {
  const { name, message } = err as Error
  print({ refusal: { name, message } })
}
