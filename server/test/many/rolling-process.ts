// A rolling restart in a process of its own, which may have a network of its own. Its first argument has the options; prints the results.
import { rollingRestart } from './rolling.ts'

const [rolling = ''] = process.argv.slice(2)
process.stdout.write(JSON.stringify(await rollingRestart(JSON.parse(rolling))))
process.exit()
