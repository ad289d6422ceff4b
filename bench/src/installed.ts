import { spawnSync } from 'node:child_process'

/** The first version number that a program prints, or undefined where it is not installed. */
export function versionOf(program: string, argument: string): string | undefined {
  const { error, stdout, stderr } = spawnSync(program, [argument], { encoding: 'utf8' })
  return error ? undefined : (/\d+\.\d+(\.\d+)?/.exec(`${stdout}${stderr}`)?.[0] ?? 'unknown')
}
