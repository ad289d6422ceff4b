// A process with a bundled server in it, to be killed by the tests.
// Arguments: the options as JSON, and `exit` to end without closing once it is up.
import { type EmbeddedOptions, startEmbedded } from '../../src/store/embedded/index.ts'

const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`)

const options: EmbeddedOptions = JSON.parse(process.argv[2] ?? '{}')
try {
  const server = await startEmbedded(options)
  const { connection, isAdopted, isNew } = server
  say({ connection, isAdopted, isNew })
  if (process.argv[3] !== 'exit')
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
