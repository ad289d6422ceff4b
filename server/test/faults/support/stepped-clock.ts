/**
 * Loaded before a program (`node --import`): its wall clock differs by the milliseconds in the file STEPPED_CLOCK_FILE, which is
 * read at the start and at every SIGUSR2. Timers and the monotonic clock are unchanged, as when the time of a machine is set.
 */
import { readFileSync } from 'node:fs'

const path = process.env.STEPPED_CLOCK_FILE ?? ''
let offsetMs = 0
const read = () => {
  offsetMs = Number(readFileSync(path, 'utf8'))
}
read()
process.on('SIGUSR2', read)

const RealDate = Date
const now = () => RealDate.now() + offsetMs
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
})
