import { spawn, spawnSync } from 'node:child_process'
import type { ClusterEnvironment } from './cluster-environment.ts'
import { listProcesses, sendSignal, spawnOptions } from './processes.ts'

/**
 * Stops the server when this process ends without having closed it:
 *
 * - `process.exit`, an exception that nobody caught: at once, from Node's `exit` event;
 * - a signal that ends the process without that event, SIGKILL too: a shell notices that its standard input ends, and stops the
 *   server after `orphanGraceSeconds`, unless the next Chancery has adopted it meanwhile. Windows lacks this part.
 */
export interface Watchdog {
  close(): void
}

/** Arguments: process id, data directory, seconds. The server is known by its command line: its id may belong to another process by now. */
const script = `read -r _
sleep "$3"
if [ -d /proc/self ]; then command=$(tr '\\0' ' ' <"/proc/$1/cmdline")
else command=$(ps -ww -o command= -p "$1"); fi
case "$command " in *"postgres -D $2 "*) kill -INT "$1" ;; esac`

/** Shows in the list of processes, so that the next Chancery finds it. */
const nameOf = ({ cluster }: ClusterEnvironment) => `${cluster.name}-watchdog`

const stops = new Set<() => void>()
const stopAll = () => {
  for (const stop of stops) stop()
}

export function startWatchdog(site: ClusterEnvironment, pid: number, isRunning: () => boolean): Watchdog {
  const stop = () => {
    if (isRunning()) stopNow(site, pid)
  }
  stops.add(stop)
  if (!process.listeners('exit').includes(stopAll)) process.on('exit', stopAll)
  const endShell = process.platform === 'win32' ? () => {} : startShell(site, pid)
  return {
    close: () => {
      stops.delete(stop)
      endShell()
    },
  }
}

function startShell(site: ClusterEnvironment, pid: number): () => void {
  const args = [
    '-c',
    script,
    nameOf(site),
    String(pid),
    site.cluster.dir,
    String(site.host.orphanGraceSeconds),
  ]
  const shell = spawn('/bin/sh', args, {
    ...spawnOptions(site.user),
    // Neither Ctrl-C nor the end of the terminal is for it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.on('error', err => site.log(`no watchdog of PostgreSQL: ${err.message}`))
  shell.unref()
  const { stdin } = shell
  stdin.on('error', () => {})
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
  return () => shell.kill('SIGKILL')
}

/** Synchronous: nothing else runs any more when the process exits. */
function stopNow({ binaries, cluster }: ClusterEnvironment, pid: number): void {
  if (process.platform === 'win32')
    spawnSync(binaries.pgCtl, ['stop', '-D', cluster.dir, '-m', 'fast', '-W'], spawnOptions())
  else sendSignal(pid, 'SIGINT')
}

/** Ends the watchdogs of earlier runs. Only the holder of the data directory's lock may. */
export async function endWatchdogs(site: ClusterEnvironment): Promise<void> {
  const uid = site.user?.uid ?? process.geteuid?.()
  for (const found of (await listProcesses()) ?? [])
    if (found.uid === uid && found.command.includes(` ${nameOf(site)} `)) sendSignal(found.pid, 'SIGKILL')
}
