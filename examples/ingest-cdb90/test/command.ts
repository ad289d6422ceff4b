import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const command = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Runs the example as a shell would. */
export function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    encoding: 'utf8',
    maxBuffer: 64_000_000,
  })
  return { status, stdout, stderr }
}
