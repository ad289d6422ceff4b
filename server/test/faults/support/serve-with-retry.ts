import { type ServeProcess, serve } from '../../support/serve-process.ts'

/** Starts the service as a supervisor does: again where it ended before it was up, because its database was not yet there, or late. */
export async function serveWithRetry(
  dir: string,
  env: Record<string, string>,
  program?: string,
): Promise<ServeProcess> {
  for (let left = 9; ; left -= 1) {
    try {
      return await serve(dir, env, program)
    } catch (error) {
      if (left === 0) throw error
    }
  }
}
