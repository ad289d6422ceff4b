import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { closeAfter } from '../support/close-after.ts'
import { query } from '../support/database-url.ts'
import { startTestServer } from '../support/test-server.ts'
import { makeToken } from './tokens.ts'

const chancery = closeAfter(await startTestServer())

test('a running backup is aborted when its token is revoked', async () => {
  await query(
    chancery.databaseUrl,
    `insert into chancery_secret.batch (id, content_hash, applied_at, facts, events, last_seq)
     select 'bulk-' || i, sha256(i::text::bytea), now() - interval '1 day', 1, 0, 0 from generate_series(1, 200000) i`,
  )
  const { id, token } = await makeToken(chancery, ['admin'])
  const headers = { authorization: `Bearer ${token}` }
  // Ends when the server checks its tokens again, as the backup does.
  const stream = request(`${chancery.operatorUrl}/facts`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
  })
  const streamEnded = new Promise<void>(resolve => {
    stream.on('error', () => resolve()).on('close', () => resolve())
  })
  stream.write('{"op":"commit","batch":"opened"}\n')
  await new Promise(resolve => {
    stream.on('response', res => res.on('error', () => undefined).once('data', resolve))
  })

  const req = request(`${chancery.operatorUrl}/backup`, { method: 'POST', headers })
  const end = new Promise<string>((resolve, reject) => {
    req.on('error', reject)
    req.on('response', res => {
      // Reading pauses until the token is revoked: a backup that is larger than the buffers is still in progress then.
      res.once('data', () => {
        res.pause()
        chancery
          .operate('POST', `/tokens/${id}/revoke`)
          .then(() => streamEnded)
          .then(() => res.resume(), reject)
      })
      res.on('end', () => resolve('whole')).on('error', () => resolve('cut'))
    })
  })
  req.end()
  assert.equal(await end, 'cut')
})
