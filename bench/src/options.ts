import { parseArgs } from 'node:util'

export interface Options {
  peers: boolean
  rounds: number
  /** How long one turn takes. */
  seconds: number
  /** Ids of works; all where it is empty. */
  only: string[]
  /** Minutes over which the memory of a serving process is watched; 0 leaves it. */
  memoryMinutes: number
  jsonFile: string | undefined
  /** Whether the page, the plot and the committed results are written. */
  writes: boolean
}

export const usage = `npm run bench [-- OPTIONS]

  --peers             also Platformatic DB and PostGraphile, which it installs into a temporary folder
  --rounds N          turns of everybody at everything (3)
  --seconds N         how long a turn takes (4)
  --only ID,ID        only these works: hot-list, nations-moving, …; "none" for those of the last --write
  --memory MINUTES    also how much a process holds with 100,000 nations behind it (30 for the page)
  --json FILE         writes the results as JSON
  --write             writes them into docs/operations/performance.md and .svg and bench/results/latest.json`

/** Reads the command line. Throws an error that says what is wrong. */
export function readOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      peers: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '4' },
      only: { type: 'string', default: '' },
      memory: { type: 'string', default: '0' },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const only = values.only.split(',').filter(Boolean)
  if (values.write && only.length > 0 && !only.includes('none'))
    throw new Error('--write takes everything, or with "--only none --memory MINUTES" the memory alone')
  return {
    peers: values.peers,
    rounds: wholeNumber('--rounds', values.rounds, 1, 50),
    seconds: wholeNumber('--seconds', values.seconds, 1, 300),
    only,
    memoryMinutes: wholeNumber('--memory', values.memory, 0, 600),
    jsonFile: values.json,
    writes: values.write,
  }
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new Error(`${name} takes a whole number from ${min} to ${max}`)
  return value
}
