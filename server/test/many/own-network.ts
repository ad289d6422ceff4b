import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describeEnd, describeFailure } from '../../src/store/embedded/processes.ts'

const isRoot = process.getuid?.() === 0
/** A network with nothing but loopback, whose kernel hands waiting connections on to who shares the port. */
const enter = [...(isRoot ? [] : ['--user', '--map-root-user']), '--net', 'sh', '-c']
const prepare = 'ip link set lo up && echo 1 > /proc/sys/net/ipv4/tcp_migrate_req'

/** Why there is no network of one's own here; undefined where there is. */
export function missingNetwork(): string | undefined {
  const { status, error, stderr } = spawnSync('unshare', [...enter, prepare], { encoding: 'utf8' })
  return status === 0 ? undefined : `no network of its own: ${error?.message ?? stderr.trim()}`
}

/** Runs a program of ours in a network of its own, and returns what it printed. */
export async function inOwnNetwork(program: URL, argument: string): Promise<string> {
  const command = `${prepare} && exec "$0" "$@"`
  const child = spawn('unshare', [...enter, command, process.execPath, program.pathname, argument], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const [printed, said] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status, signal] = await exited
  if (status !== 0)
    throw new Error(
      `${program.pathname}: ${describeFailure({ ended: describeEnd(status, signal), output: said })}`,
    )
  return printed
}
