import { type Config, type RunningServer, StartupError, startServer } from '../../src/index.ts'

const startsMax = 5

/**
 * Starts a server as a supervisor does: once more where it says so. On a machine that does ten other things a database may seem silent
 * to one that starts.
 */
export async function startUntilHeard(config: Config): Promise<RunningServer> {
  for (let start = 1; ; start += 1) {
    try {
      return await startServer(config)
    } catch (error) {
      const isAgain = error instanceof StartupError && error.message.includes('start again')
      if (!isAgain || start === startsMax) throw error
    }
  }
}
