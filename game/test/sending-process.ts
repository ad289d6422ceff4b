/** Sends batches until it is killed, and prints the nation of each batch that is stored. */
import { openSender } from '../src/index.ts'

const [url = '', spool = '', name = ''] = process.argv.slice(2)
const sender = await openSender({ url, spool, log: () => {} })
for (let index = 0; ; index += 1) {
  const id = `${name}-${index}`
  sender.batch([{ op: 'put', resource: 'nation', data: { id, nation_name: id } }]).catch(() => undefined)
  await sender.stored()
  console.log(id)
}
