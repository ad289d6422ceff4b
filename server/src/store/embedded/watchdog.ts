import { spawn, spawnSync } from 'node:child_process'
import type { ClusterEnvironment } from './cluster-environment.ts'
import { listProcesses, sendSignal, spawnOptions } from './processes.ts'

/**
 * Stops the server if this process exits without closing it:
 *
 * - `process.exit` or an uncaught exception: at once, in Node's `exit` event;
 * - a signal that skips that event, such as SIGKILL: a shell sees its standard input close, and stops the server after
 *   `orphanGraceSeconds`, unless the next Chancery has adopted it. Not on Windows.
 */
export interface Watchdog {
  close(): void
}

/** Arguments: process id, data directory, seconds. Checks the command line, because the process id may have been reused. */
const script = `read -r _
sleep "$3"
if [ -d /proc/self ]; then command=$(tr '\\0' ' ' <"/proc/$1/cmdline")
else command=$(ps -ww -o command= -p "$1"); fi
case "$command " in *"postgres -D $2 "*) kill -INT "$1" ;; esac`

/** The next Chancery finds the shell by this name in its command line. */
const nameOf = ({ cluster }: ClusterEnvironment) => `${cluster.name}-watchdog`

const stops = new Set<() => void>()
const stopAll = () => {
  for (const stop of stops) stop()
}

export function startWatchdog(
  environment: ClusterEnvironment,
  pid: number,
  isRunning: () => boolean,
): Watchdog {
  const stop = () => {
    if (isRunning()) stopNow(environment, pid)
  }
  stops.add(stop)
  if (!process.listeners('exit').includes(stopAll)) process.on('exit', stopAll)
  const endShell = process.platform === 'win32' ? () => {} : startShell(environment, pid)
  return {
    close: () => {
      stops.delete(stop)
      endShell()
    },
  }
}

function startShell(environment: ClusterEnvironment, pid: number): () => void {
  const args = [
    '-c',
    script,
    nameOf(environment),
    String(pid),
    environment.cluster.dir,
    String(environment.host.orphanGraceSeconds),
  ]
  const shell = spawn('/bin/sh', args, {
    ...spawnOptions(environment.user),
    // Ctrl-C and the end of the terminal must not reach it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.on('error', err => environment.log(`the watchdog of PostgreSQL did not start: ${err.message}`))
  shell.unref()
  const { stdin } = shell
  stdin.on('error', () => {})
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
  return () => shell.kill('SIGKILL')
}

/** Synchronous: it runs in the `exit` event. */
function stopNow({ binaries, cluster }: ClusterEnvironment, pid: number): void {
  if (process.platform === 'win32')
    spawnSync(binaries.pgCtl, ['stop', '-D', cluster.dir, '-m', 'fast', '-W'], spawnOptions())
  else sendSignal(pid, 'SIGINT')
}

/** Ends the watchdogs of earlier processes. Call it with the data directory's lock. */
export async function endWatchdogs(environment: ClusterEnvironment): Promise<void> {
  const uid = environment.user?.uid ?? process.geteuid?.()
  for (const found of (await listProcesses()) ?? [])
    if (found.uid === uid && found.command.includes(` ${nameOf(environment)} `))
      sendSignal(found.pid, 'SIGKILL')
}
