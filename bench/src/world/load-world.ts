import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Served } from '../served.ts'

const program = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url))

export interface WorldSize {
  nations: number
  days: number
}

const attemptsMax = 3

/**
 * `chancery simulate | chancery ingest`: the same world in every run. Resolves when lists show all of it. On a machine that is busy with
 * other things a batch may be refused for the time being: then all are sent once more, and what is stored already is not stored twice.
 */
export async function loadWorld(door: Served, size: WorldSize): Promise<void> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) if (await sendWorld(door, size)) return
  throw new Error('the world was not loaded')
}

async function sendWorld(door: Served, { nations, days }: WorldSize): Promise<boolean> {
  const wish = ['--nations', nations, '--days', days, '--seed', 7, '--ends-at', '2026-03-01T00:00:00Z']
  const simulate = spawn(process.execPath, [program, 'simulate', ...wish.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ingest = spawn(process.execPath, [program, 'ingest', '-'], {
    stdio: [simulate.stdout, 'ignore', 'inherit'],
    env: {
      ...process.env,
      CHANCERY_OPERATOR_URL: door.operatorUrl,
      CHANCERY_OPERATOR_TOKEN: door.operatorToken,
    },
  })
  // The pipe is the two programs' own: nobody else may read from it.
  simulate.stdout.destroy()
  const [[simulated], [ingested]] = await Promise.all([once(simulate, 'exit'), once(ingest, 'exit')])
  if (simulated !== 0) throw new Error('the world was not simulated')
  return ingested === 0
}
