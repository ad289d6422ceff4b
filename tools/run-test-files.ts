/** Runs files of tests in this process, one after the other: each the first of the list that no other process has begun. */
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { suite } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { endAfter } from './file-limit.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const { CHANCERY_TEST_SCRATCH: scratch = '', CHANCERY_TEST_FILE_MINUTES: minutes = '12' } = process.env

/** Whether it is ours: of several processes one makes the file. */
function claim(index: number): boolean {
  try {
    closeSync(openSync(path.join(scratch, 'begun', String(index)), 'wx'))
    return true
  } catch {
    return false
  }
}

/** Seconds of the processor that this process has taken, and those that it has started and seen end. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  let children = 0
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const [, , , , , , , , , , , , , cutime = '0', cstime = '0'] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
    children = (Number(cutime) + Number(cstime)) / 100
  } catch {
    // Only Linux tells.
  }
  return (user + system) / 1e6 + children
}

const files = readFileSync(path.join(scratch, 'files'), 'utf8').split('\n')
for (const [index, file] of files.entries()) {
  if (!claim(index)) continue
  const began = { cpu: processorSeconds(), at: performance.now() }
  await suite(
    file,
    { timeout: Number(minutes) * 60_000 },
    () => import(pathToFileURL(path.join(root, file)).href),
  )
  const cost = { file, cpu: processorSeconds() - began.cpu, wall: (performance.now() - began.at) / 1000 }
  appendFileSync(path.join(scratch, 'costs'), `${JSON.stringify(cost)}\n`)
}
endAfter(1)
