import { once } from 'node:events'
import { makeServeDir, removeServeDir, type ServeProcess, serveWithRetry } from '../support/serve-process.ts'

/** Several `chancery serve`, each a process of its own, on one database. */
export interface ServerGroup {
  members: readonly ServeProcess[]
  /** The ready members, as a proxy with readiness checks knows them. */
  ready(): readonly ServeProcess[]
  /** Ends the oldest process, then starts another. Rejects if it exits with an error. */
  replaceOldest(): Promise<void>
  close(): Promise<void>
}

const pollMs = 50

/** `env` is for all of them: where the database is, and what else is set; `program`, where it is not `chancery serve`. */
export async function startServerGroup(
  size: number,
  env: Record<string, string>,
  program?: string,
): Promise<ServerGroup> {
  const dir = makeServeDir()
  const members: ServeProcess[] = []
  const isReady = new Map<ServeProcess, boolean>()
  let isOver = false

  async function watch(member: ServeProcess): Promise<void> {
    while (!isOver && member.child.exitCode === null) {
      const response = await fetch(`${member.url}/readyz`).catch(() => undefined)
      isReady.set(member, response?.status === 200)
      await response?.body?.cancel()
      await new Promise(resolve => setTimeout(resolve, pollMs))
    }
    isReady.delete(member)
  }

  async function add(): Promise<void> {
    const member = await serveWithRetry(dir, env, program)
    members.push(member)
    isReady.set(member, true)
    void watch(member)
  }

  async function end(member: ServeProcess): Promise<void> {
    const exited = once(member.child, 'exit')
    if (member.child.exitCode === null) member.child.kill('SIGTERM')
    else return
    const [status] = await exited
    members.splice(members.indexOf(member), 1)
    if (status !== 0) throw new Error(`a process ended with ${status}: ${await member.ended}`)
  }

  const close = async () => {
    isOver = true
    await Promise.all([...members].map(end))
    await removeServeDir(dir)
  }
  try {
    for (let count = 0; count < size; count += 1) await add()
  } catch (error) {
    await close()
    throw error
  }
  return {
    members,
    ready: () => members.filter(member => isReady.get(member)),
    async replaceOldest() {
      const [eldest] = members
      if (eldest) await end(eldest)
      await add()
    },
    close,
  }
}
