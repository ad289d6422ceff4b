/** Runs test files in this process, one after another: each time the first of the list that no other process has claimed. */
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { suite } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { endAfter } from './file-limit.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const { CHANCERY_TEST_SCRATCH: scratch = '', CHANCERY_TEST_FILE_MINUTES: minutes = '12' } = process.env

/** True in one of several processes: the one that creates the file. */
function claim(index: number): boolean {
  try {
    closeSync(openSync(path.join(scratch, 'claimed', String(index)), 'wx'))
    return true
  } catch {
    return false
  }
}

/** Processor seconds of this process and its ended children. */
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
    // Available on Linux only.
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
