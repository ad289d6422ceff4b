/** What the guides for bot authors say is so, and what they show runs, in all three languages. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { classes, errors, limits, scopeNames, scopes } from '@chancery/contract'
import {
  cutOff,
  hangUp,
  html,
  json,
  page,
  refusal,
  serveCanned,
} from '../examples/python/test/canned-server.ts'
import { exchange } from '../server/test/http/raw.ts'
import { everyOperation, ownSections, playerOf, smallWorld } from '../server/test/http/world.ts'
import { startTestServer, type TestServer } from '../server/test/support/test-server.ts'
import { tableRows } from './guides/markdown-table.ts'
import { markedBlock } from './guides/marked-block.ts'
import { needs, runBlock } from './guides/run-block.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))
const guideOf = (name: string) => readFile(join(root, `docs/guides/${name}.md`), 'utf8')
const limitsGuide = await guideOf('limits-and-caching')
const scopesGuide = await guideOf('scopes-and-privacy')
const verifyGuide = await guideOf('verify-a-nation')

let chancery: TestServer
before(async () => {
  chancery = await startTestServer({
    CHANCERY_ANONYMOUS_LIMIT: String(limits.anonymousCalls * 10),
    CHANCERY_KEY_LIMIT: String(limits.keyCalls),
  })
  await chancery.ingest(smallWorld())
})
after(() => chancery.close())

const keyOf = async (nationId: string, granted: (typeof scopeNames)[number][]) =>
  (await chancery.makeKey({ player_id: playerOf(nationId) }, granted)).key
const names = async (path: string) => {
  const { data } = await chancery.read<{ data: { rank: number; nation: { nation_name: string } }[] }>(path)
  return data.map(({ rank, nation }) => `${rank} ${nation.nation_name}`)
}
/** Calls left to whoever has no key here, without taking one. */
const left = async () =>
  Number(
    (await fetch(`${chancery.url}/api/v1/eras`, { method: 'OPTIONS' })).headers.get('x-ratelimit-remaining'),
  )

/** Programs in both languages, and whether they can be run here. */
const languages = [
  ['ts', {}],
  ['py', needs('python3')],
] as const

describe('limits and caching', () => {
  test('the limits are those of the contract', () => {
    const [calls, streams, items, ids] = tableRows(markedBlock(limitsGuide, 'limits'))
    assert.match(calls?.[0] ?? '', RegExp(` ${limits.windowSeconds} seconds`))
    assert.match(calls?.[1] ?? '', RegExp(`^${limits.anonymousCalls} `))
    assert.match(calls?.[2] ?? '', RegExp(`^${limits.keyCalls},`))
    assert.deepEqual(streams?.slice(1), [String(limits.streamsPerAddress), String(limits.streamsPerKey)])
    assert.equal(
      items?.[1],
      `${limits.pageSizeMin} to ${limits.pageSizeMax}, default ${limits.pageSizeDefault}`,
    )
    assert.equal(ids?.[1], String(limits.idsMax))
  })

  test('what is said to count as a call does, and nothing else', async () => {
    const api = `${chancery.url}/api/v1`
    const etag = (await fetch(`${api}/nations`)).headers.get('etag') ?? ''
    const counting: Record<string, () => Promise<number>> = {
      '304': async () => (await fetch(`${api}/nations`, { headers: { 'if-none-match': etag } })).status,
      '404': async () => (await fetch(`${api}/nations/nobody`)).status,
      HEAD: async () => (await fetch(`${api}/nations`, { method: 'HEAD' })).status,
      'a stream': async () => {
        const abort = new AbortController()
        const { status } = await fetch(`${api}/events/stream`, { signal: abort.signal })
        abort.abort()
        return status
      },
      'a wrong key': async () => (await fetch(api, { headers: { authorization: 'Bearer wrong' } })).status,
    }
    for (const [what, call] of Object.entries(counting)) {
      const before = await left()
      const status = await call()
      assert.equal(await left(), before - 1, `${what} (${status})`)
    }
    const before = await left()
    for (const [lines, status] of [
      [['GET /api/v1/nations HTTP/1.1'], errors.bad_request.status],
      [['GET /api/v1/nations HTTP/1.1', 'Host: a', 'Expect: something'], errors.expectation_failed.status],
      [[`GET /api/v1/nations?${'a'.repeat(17_000)} HTTP/1.1`, 'Host: a'], errors.headers_too_large.status],
    ] as const) {
      const { answers } = await exchange(chancery.url, `${lines.join('\r\n')}\r\n\r\n`)
      assert.equal(answers[0]?.status, status)
    }
    assert.equal(await left(), before)
  })

  test('every operation says in cache-control what the guide says', async () => {
    const [shared, fresh, never] = tableRows(markedBlock(limitsGuide, 'kinds'))
    const control = ([cell = '']: string[] = []) => cell.replaceAll('`', '')
    const isNamed = (path: string, [, cell = '']: string[] = []) =>
      [...cell.matchAll(/`([^`]+)`/g)].some(([, name = '']) =>
        name.endsWith('…')
          ? path.startsWith(name.slice(0, -1))
          : name.startsWith('/')
            ? path === name
            : path.includes(name),
      )
    const key = await keyOf('n1', scopeNames)
    const paths = [
      ...everyOperation.map(({ path }) => path.replace('NOSUCHCODE', 'CODE')),
      '/alliances/a1?include=treasury',
      '/nations/nobody',
    ]
    for (const path of paths) {
      const code = path.includes('CODE') ? await chancery.makeCode('n2') : ''
      const response = await chancery.get(path.replace('CODE', code), { key })
      const row = response.ok ? [never, fresh].find(row => isNamed(path, row)) : never
      assert.equal(response.headers.get('cache-control'), control(row ?? shared), path)
      await response.body?.cancel()
    }
  })

  describe('with curl', needs('curl'), () => {
    test('the headers are those that are shown', async () => {
      const small = await startTestServer({ CHANCERY_ANONYMOUS_LIMIT: String(limits.anonymousCalls) })
      try {
        const printed = await runBlock(limitsGuide, 'headers.sh', { url: small.url })
        const lasting = (text: string) => text.replaceAll('\r', '').replace(/reset: \d{10}\n/, 'reset: n\n')
        assert.equal(lasting(printed), lasting(markedBlock(limitsGuide, 'headers')))
      } finally {
        await small.close()
      }
    })

    test('an answer that has not changed is 304', async () => {
      assert.equal(await runBlock(limitsGuide, 'etag.sh', { url: chancery.url }), '304\n')
    })
  })

  test('the client prints the ranking twice for one call', async () => {
    const lines = await names('/rankings?limit=3')
    const before = await left()
    const printed = await runBlock(limitsGuide, 'client.ts', { url: chancery.url })
    assert.deepEqual(printed.trim().split('\n'), [...lines, ...lines])
    assert.equal(await left(), before - 1)
  })

  for (const [language, condition] of languages) {
    describe(`read.${language}`, condition, () => {
      const read = (url: string, env = {}) => runBlock(limitsGuide, `read.${language}`, { url, env })

      test('prints the ranking twice for one call', async () => {
        const lines = await names('/rankings?limit=3')
        assert.equal(lines[0], '1 Valdoria')
        const before = await left()
        assert.deepEqual((await read(chancery.url)).trim().split('\n'), [...lines, ...lines])
        assert.equal(await left(), before - 1)
      })

      test('waits as it is told, asks by the ETag, and sends the key', async () => {
        const body = { data: [{ rank: 1, nation: { nation_name: 'Valdoria' } }] }
        const again = { etag: '"one"', 'cache-control': 'private, no-cache' }
        const api = await serveCanned(
          refusal(429, 'rate_limited', { 'retry-after': '1' }),
          json(body, again),
          res => res.writeHead(304, again).end(),
        )
        try {
          const printed = await read(api.url, { CHANCERY_KEY: 'chk_of_a_test' })
          assert.equal(printed, '1 Valdoria\n1 Valdoria\n')
          assert.deepEqual(
            api.calls.map(({ headers }) => [headers['if-none-match'], headers.authorization]),
            [undefined, undefined, '"one"'].map(etag => [etag, 'Bearer chk_of_a_test']),
          )
          assert.ok((api.calls[1]?.at ?? 0) - (api.calls[0]?.at ?? 0) >= 950)
        } finally {
          await api.close()
        }
      })
    })
  }
})

describe('scopes and privacy', () => {
  test('the classes and scopes are those of the contract', () => {
    const first = (name: string) => tableRows(markedBlock(scopesGuide, name)).map(([cell]) => cell)
    assert.deepEqual(
      first('classes'),
      classes.map(name => `\`${name}\``),
    )
    assert.deepEqual(
      tableRows(markedBlock(scopesGuide, 'scopes')).map(([name, opens]) => [name, opens]),
      Object.entries(scopes).map(([name, opens]) => [`\`${name}\``, opens]),
    )
  })

  test('each scope opens what its row names, and nothing else', async () => {
    const sections = Object.keys(ownSections)
    for (const [name = '', , where = ''] of tableRows(markedBlock(scopesGuide, 'scopes'))) {
      const scope = scopeNames.find(each => name === `\`${each}\``)
      assert.ok(scope)
      const key = await keyOf('n1', [scope])
      const section = /: `(\w+)`$/.exec(where)?.[1]
      if (scope === 'treasury.read') {
        const { data } = await chancery.read<{ data: object }>('/alliances/a1?include=treasury', { key })
        assert.ok('treasury' in data)
      } else {
        const { data } = await chancery.read<{ data: object }>('/me/nation', { key })
        assert.deepEqual(
          sections.filter(each => each in data),
          section ? [section] : [],
        )
      }
    }
  })

  describe('with curl', needs('curl'), () => {
    const ask = async (name: string, key: string) =>
      JSON.parse(await runBlock(scopesGuide, name, { url: chancery.url, env: { CHANCERY_KEY: key } }))

    test('a key says what it is, a section is there or absent, and a demand fails by name', async () => {
      const key = await keyOf('n1', ['military.read'])
      assert.deepEqual((await ask('key.sh', key)).data.scopes, ['military.read'])
      const { data } = await ask('own.sh', key)
      assert.deepEqual(data.military, ownSections.military)
      assert.ok(!('production' in data))
      const { error } = await ask('demand.sh', key)
      assert.equal(error.code, 'insufficient_scope')
      assert.match(error.message, /production\.read/)
      const silent = await ask('own.sh', await keyOf('n7', ['military.read']))
      assert.equal(silent.data.military, null)
    })
  })

  for (const [program, condition] of [
    ['own.ts', {}],
    ['client.ts', {}],
    ['own.py', needs('python3')],
  ] as const) {
    test(`${program} prints the readiness, or what is missing`, condition, async () => {
      const print = (key: string) =>
        runBlock(scopesGuide, program, { url: chancery.url, env: { CHANCERY_KEY: key } })
      assert.equal(await print(await keyOf('n1', ['military.read'])), 'Valdoria 87.5\n')
      assert.equal(await print(await keyOf('n7', ['military.read'])), 'Sorrow not reported by the game\n')
      assert.match(await print(await keyOf('n1', ['economy.read'])), /^insufficient_scope .*military\.read/)
      assert.match(await print('wrong'), /^invalid_api_key /)
    })
  }
})

describe('verify a nation', () => {
  const account = '80351110224678912'

  test('curl prints the identity that is shown', needs('curl'), async () => {
    const env = { CODE: await chancery.makeCode('n2', account) }
    const printed = await runBlock(verifyGuide, 'verify.sh', { url: chancery.url, env })
    assert.deepEqual(JSON.parse(printed), JSON.parse(markedBlock(verifyGuide, 'identity')))
  })

  test('the answers have the status and the pages of their codes', () => {
    for (const [answer = ''] of tableRows(markedBlock(verifyGuide, 'responses')).slice(1)) {
      const [, status, code] = /^(\d+) \[`(\w+)`\]/.exec(answer) ?? []
      const known = Object.entries(errors).find(([name]) => name === code)
      assert.equal(known?.[1].status, Number(status), answer)
    }
  })

  test('the client says whose nation it is, or the code of what is wrong', async () => {
    const code = await chancery.makeCode('n2', account)
    const verify = async () =>
      (await runBlock(verifyGuide, 'client.ts', { url: chancery.url, args: [code, account] })).trim()
    assert.equal(await verify(), 'n2 Karsk officer')
    assert.equal(await verify(), 'verification_code_used')
  })

  for (const [language, condition] of languages) {
    describe(`verify.${language}`, condition, () => {
      const verify = async (code: string, by = account, url = chancery.url) =>
        (await runBlock(verifyGuide, `verify.${language}`, { url, args: [code, by] })).trim()

      test('says whose nation it is, and what is wrong with a code', async () => {
        const code = await chancery.makeCode('n2', account)
        assert.match(await verify(code, '4711'), /^Check the code/)
        assert.equal(await verify(code), 'n2 Karsk officer')
        assert.match(await verify(code), /^The code was used before/)
        assert.equal(
          await verify(` ${(await chancery.makeCode('n7')).toLowerCase()}`),
          'n7 Sorrow no alliance',
        )
        assert.match(await verify('a/b?c'), /^Check the code/)
      })

      test('asks once, whatever comes', async () => {
        for (const [answer, expected] of [
          [hangUp, /^It did not work/],
          [cutOff, /^It did not work/],
          [refusal(503, 'unavailable', { 'retry-after': '0' }), /^It did not work/],
          [refusal(429, 'rate_limited', { 'retry-after': '0' }), /^Too many at once/],
          [refusal(410, 'verification_code_expired'), /older than 10 minutes/],
          [json({ data: { verified: false } }), /^It did not work/],
        ] as const) {
          const api = await serveCanned(answer)
          try {
            assert.match(await verify('K7PWM3XQ9T', account, api.url), expected)
            assert.deepEqual(
              api.calls.map(({ target }) => target),
              [`/api/v1/discord/verify/K7PWM3XQ9T?for=${account}`],
            )
          } finally {
            await api.close()
          }
        }
      })
    })
  }
})

describe('who is gone', () => {
  const nations = (...ids: string[]) => page(ids.map(id => ({ id, nation_name: id })))
  for (const [language, condition] of languages) {
    describe(`gone.${language}`, condition, () => {
      const gone = (url: string, ...args: string[]) =>
        runBlock(verifyGuide, `gone.${language}`, { url, args })

      test('prints the nations that are deleted, and no other', async () => {
        const many = Array.from({ length: 101 }, () => 'n2')
        assert.equal(await gone(chancery.url, 'n2', 'n5', 'nobody'), 'nobody\n')
        assert.equal(await gone(chancery.url, ...many), '')
        assert.equal(await gone(chancery.url), '')
      })

      test('prints nobody where the answer may be of other nations, or a proxy answered', async () => {
        for (const [answers, expected] of [
          [[nations('n1', 'n3')], ''],
          [[nations('n5'), html(404)], ''],
          [[nations('n5'), refusal(404, 'other')], ''],
          [[nations('n5'), json({ data: { id: 'n2' } })], ''],
          [[nations('n5'), refusal(404, 'not_found')], 'n2\n'],
        ] as const) {
          const api = await serveCanned(...answers)
          try {
            const printed = gone(api.url, 'n2', 'n5').catch((error: { stdout: string }) => error.stdout)
            assert.equal(await printed, expected)
            assert.match(api.calls[0]?.target ?? '', /\?ids=n2%2Cn5&limit=100$/)
          } finally {
            await api.close()
          }
        }
      })
    })
  }
})

describe('what is shown in documents', () => {
  const documents = globSync(['docs/**/*.md', 'examples/python/*.md'], { cwd: root })
  const blocks = async (language: string) => {
    const found: { from: string; text: string }[] = []
    for (const from of documents) {
      const markdown = await readFile(join(root, from), 'utf8')
      for (const [, text = ''] of markdown.matchAll(RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')))
        found.push({ from, text })
    }
    return found
  }

  test('all TypeScript passes the compiler', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'chancery-guides-'))
    try {
      const shown = await blocks('ts')
      assert.ok(shown.length >= 6)
      const files = await Promise.all(
        shown.map(async ({ from, text }, index) => {
          const file = join(dir, `${index}-${from.replaceAll('/', '-')}.ts`)
          await writeFile(file, `${text}export {}\n`)
          return file
        }),
      )
      const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8'))
      const config = join(dir, 'tsconfig.json')
      const typeRoots = [join(root, 'node_modules/@types')]
      const options = { ...compilerOptions, typeRoots, noUnusedLocals: false }
      await writeFile(config, JSON.stringify({ compilerOptions: options, files }))
      await writeFile(join(dir, 'package.json'), '{"type":"module"}')
      await symlink(join(root, 'node_modules'), join(dir, 'node_modules'))
      const compiler = join(root, 'node_modules/typescript/bin/tsc')
      await run(process.execPath, [compiler, '--project', config]).catch(({ stdout }) => assert.fail(stdout))
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  })

  test('all Python can be read by Python', needs('python3'), async () => {
    const shown = await blocks('python')
    assert.ok(shown.length >= 6)
    for (const { from, text } of shown)
      await run('python3', ['-c', 'import ast, sys; ast.parse(sys.argv[1])', text]).catch(({ stderr }) =>
        assert.fail(`${from}: ${stderr}`),
      )
  })

  test('the first program of the Python client’s page runs', needs('python3'), async () => {
    const page = await readFile(join(root, 'examples/python/README.md'), 'utf8')
    const printed = await runBlock(page, 'first.py', { url: chancery.url })
    assert.equal(printed, 'Valdoria 1843.25\nValdoria against Tresk\nnot_found 404\n')
  })
})
