import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bases, type Operation, operations } from '@chancery/contract'
import { Chancery, ChanceryError } from '../src/index.ts'
import { useDemoWorld } from './support/demo-world.ts'

const served = useDemoWorld()

type Method = (...taken: unknown[]) => Promise<unknown>

/** The client's method of an operation of the contract. */
function methodOf(client: Chancery, id: string): Method {
  const [group = '', method = ''] = id.split('.')
  const found = (client as unknown as Record<string, Record<string, Method>>)[group]?.[method]
  if (!found) throw new Error(`the client has no ${id}`)
  return found
}

/** Ids for paths, as the demo world has them. */
test('every operation of the contract has a method that returns what the API returns', async () => {
  const { url, viewers, makeKey, makeCode, get } = served
  const { key } = await makeKey({ nation_id: viewers.member.nationId })
  const client = new Chancery({ baseUrl: url, apiKey: key })
  /** The first item of the list whose items have the path of an operation. */
  const firstId = async ({ path }: Operation) => {
    const [list] = path.split('/{id}')
    const { data } = (await (await get(`${list}?limit=1`)).json()) as { data: { id: string }[] }
    return data[0]?.id
  }
  for (const operation of Object.values<Operation>(operations)) {
    if (operation.cache === 'stream') continue
    const named = Object.values(operation.parameters).some(({ in: place }) => place === 'path')
    const id =
      operation.id === 'discord.verify'
        ? await makeCode(viewers.member.nationId)
        : named
          ? await firstId(operation)
          : undefined
    const result = await methodOf(client, operation.id)(...(named ? [id] : []))
    if (operation.id === 'discord.verify') {
      assert.equal((result as { verified: boolean }).verified, true)
      continue
    }
    const path = operation.path.replace(/\{\w+\}/, id ?? '')
    const body = (await (await get(path, { key })).json()) as { data: object }
    if (operation.id === 'me.key') {
      assert.equal((result as { id: string }).id, (body.data as { id: string }).id)
      continue
    }
    assert.deepEqual(result, operation.returns.isList ? body : body.data, operation.id)
  }
})

test('an iterator returns each item of a list once, in the order of the API', async () => {
  const client = new Chancery({ baseUrl: served.url })
  const walked: string[] = []
  for await (const war of client.wars.iterate({ limit: 30 })) walked.push(war.id)
  const { pagination } = await client.wars.list()
  assert.equal(walked.length, pagination.total)
  assert.ok(pagination.total > 60, `${pagination.total} wars`)
  assert.equal(new Set(walked).size, walked.length)
  const first = (await client.wars.list({ limit: 100 })).data.map(({ id }) => id)
  assert.deepEqual(walked.slice(0, 100), first)
  const battles: string[] = []
  const fought = (await client.wars.list({ limit: 100 })).data.find(({ battles_count }) => battles_count > 1)
  assert.ok(fought)
  for await (const battle of client.wars.iterateBattles(fought.id, { limit: 1 })) battles.push(battle.id)
  assert.equal(battles.length, fought.battles_count)
})

test('an iterator sends one request per page', async () => {
  let calls = 0
  const client = new Chancery({
    baseUrl: served.url,
    fetch: (input, init) => {
      calls += 1
      return fetch(input, init)
    },
  })
  let count = 0
  for await (const _ of client.nations.iterate({ limit: 30 })) count += 1
  assert.equal(calls, Math.ceil(count / 30))
  calls = 0
  for await (const _ of client.wars.iterate({ conflict_id: 'none' })) assert.fail('there is no such conflict')
  assert.equal(calls, 1)
})

test('filters are sent as the API parses them', async () => {
  const client = new Chancery({ baseUrl: served.url })
  const active = await client.wars.list({ status: 'active', limit: 100 })
  assert.ok(active.data.length > 0 && active.data.every(({ status }) => status === 'active'))
  const two = (await client.nations.list({ limit: 2 })).data.map(({ id }) => id)
  const named = await client.nations.list({ ids: two })
  assert.deepEqual(named.data.map(({ id }) => id).sort(), two.toSorted())
  const wars = await client.events.list({ type: ['war.*'], limit: 5 })
  assert.ok(wars.data.every(({ type }) => type.startsWith('war.')))
  assert.deepEqual((await client.nations.list({ ids: [] })).data, [])
  await assert.rejects(client.nations.list({ alliance_id: [] }), TypeError)
})

test('baseUrl may contain a base, and an invalid URL is rejected', async () => {
  const { url } = served
  for (const base of Object.values(bases)) {
    const urls: string[] = []
    const client = new Chancery({
      baseUrl: `${url}${base}/`,
      fetch: (input, init) => {
        urls.push(String(input))
        return fetch(input, init)
      },
    })
    await client.game.get()
    assert.deepEqual(urls, [`${url}${base}/game`])
  }
  for (const baseUrl of [
    'game.example',
    'ftp://game.example',
    'https://me:secret@game.example',
    `${url}?key=1`,
  ])
    assert.throws(() => new Chancery({ baseUrl }), TypeError)
  for (const apiKey of ['', 'chk_ x', 'chk_\n'])
    assert.throws(() => new Chancery({ baseUrl: url, apiKey }), TypeError)
})

test('the own nation has the sections that the key grants', async () => {
  const { url, viewers, makeKey } = served
  const { key } = await makeKey({ nation_id: viewers.member.nationId }, ['nation.read', 'military.read'])
  const client = new Chancery({ baseUrl: url, apiKey: key })
  const own = await client.me.nation()
  assert.equal(own.id, viewers.member.nationId)
  assert.equal(typeof own.military?.units?.tanks, 'number')
  assert.equal('economy' in own, false)
  await assert.rejects(client.me.nation({ include: ['economy'] }), {
    code: 'insufficient_scope',
    status: 403,
  })
})

test('an error has code, status and request id', async () => {
  const client = new Chancery({ baseUrl: served.url })
  const error = await client.nations.get('missing').catch(caught => caught)
  assert.ok(error instanceof ChanceryError)
  assert.equal(error.code, 'not_found')
  assert.equal(error.status, 404)
  assert.match(error.requestId ?? '', /^req_/)
  await assert.rejects(client.me.nation(), { code: 'api_key_required', status: 401 })
  await assert.rejects(client.nations.list({ limit: 1000 }), { code: 'invalid_parameter' })
  const wrong = new Chancery({ baseUrl: served.url, apiKey: 'chk_wrong' })
  await assert.rejects(wrong.game.get(), error => {
    assert.ok(error instanceof ChanceryError)
    assert.equal(error.code, 'invalid_api_key')
    assert.ok(!JSON.stringify(error).includes('chk_wrong') && !String(error.stack).includes('chk_wrong'))
    return true
  })
})

test('an id of dot segments is not found', async () => {
  const client = new Chancery({ baseUrl: served.url })
  for (const id of ['..', '.', '../game', '%2e%2e', 'a/b', '?x=1', '#', '', 'é'])
    await assert.rejects(client.nations.get(id), { code: 'not_found' }, id)
  for (const code of ['..', '../..', ''])
    await assert.rejects(client.discord.verify(code), { code: 'verification_code_unknown' }, code)
})

test('a code that two requests redeem at once is redeemed by one of them', async () => {
  const { url, viewers, makeCode } = served
  const client = new Chancery({ baseUrl: url })
  const code = await makeCode(viewers.member.nationId)
  const results = await Promise.allSettled([client.discord.verify(code), client.discord.verify(code)])
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  await assert.rejects(client.discord.verify(code), { code: 'verification_code_used', status: 410 })
})
