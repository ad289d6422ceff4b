// Runs a mirror until it is killed. Arguments: address, file, seconds between two polls, key.
import { Chancery } from '../client/src/index.ts'

const [baseUrl = '', file = '', pollSeconds, apiKey] = process.argv.slice(2)
const mirror = await new Chancery({ baseUrl, apiKey }).mirror(file, { pollSeconds: Number(pollSeconds) })
await mirror.run()
