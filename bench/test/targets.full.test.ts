import { test } from 'node:test'
import { prepareHttp } from '../src/http/http.ts'
import { closeAll } from '../src/servers.ts'

test('the compared servers return what Chancery returns, at every workload', {
  timeout: 300_000,
}, async t => {
  t.after(closeAll)
  await prepareHttp({ peers: false, only: [], nations: 600 })
})
