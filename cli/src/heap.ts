import { setFlagsFromString } from 'node:v8'

/** How far the heap may grow beyond what it holds before V8 collects all of it, in percent. */
const growthPercent = 30

/**
 * Keeps the memory of a process that serves for months close to what it needs: by itself V8 lets a heap of 45 MB grow to 140
 * before it looks for what nobody holds any more. What it costs and gives is in docs/decisions/0018.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`)
  // Pages that are emptied by moving things together stay with V8, which takes new ones from the system all the same: 20 to 40 MB.
  // Without, gaps are filled where they are.
  setFlagsFromString('--no-compact')
}
