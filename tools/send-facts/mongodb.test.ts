/** examples/send-facts/mongodb.mjs with the part of the driver that it uses: a collection, and a stream of its changes. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openSender } from '../../game/src/index.ts'
import { useTestServer } from '../../server/test/support/fixture.ts'
import { until } from '../../server/test/support/until.ts'

// The program is plain JavaScript, for games to copy.
const program: string = '../../examples/send-facts/mongodb.mjs'
const { follow } = await import(program)

const chancery = useTestServer()
const folder = await mkdtemp(join(tmpdir(), 'chancery-mongodb-'))
after(() => rm(folder, { recursive: true }))
const positionFile = join(folder, 'position.json')

interface Country {
  _id: number
  name: string
  score: number
}

/** Documents, and the log of their changes. A position is a place in the log. */
class Countries {
  readonly documents = new Map<number, Country>()
  readonly log: { operationType: string; documentKey: { _id: number } }[] = []
  /** Positions before it are no longer known. */
  first = 0

  put(document: Country) {
    this.documents.set(document._id, document)
    this.log.push({ operationType: 'update', documentKey: { _id: document._id } })
  }

  remove(_id: number) {
    this.documents.delete(_id)
    this.log.push({ operationType: 'delete', documentKey: { _id } })
  }

  collection = () => ({ find: () => [...this.documents.values()] })

  watch(_pipeline: unknown, { resumeAfter }: { resumeAfter?: { at: number } }) {
    let at = resumeAfter?.at ?? this.log.length
    return {
      tryNext: async () => {
        if (at < this.first) throw Object.assign(new Error('history lost'), { code: 286 })
        const change = this.log[at]
        if (!change) return null
        at += 1
        const fullDocument = this.documents.get(change.documentKey._id)
        return { ns: { coll: 'countries' }, ...change, ...(fullDocument && { fullDocument }) }
      },
      get resumeToken() {
        return { at }
      },
      close: async () => {},
    }
  }
}

const db = new Countries()

/** Runs the program until the work is done. */
async function during(work: () => Promise<void>): Promise<string[]> {
  const logged: string[] = []
  const sender = await openSender({
    url: chancery.operatorUrl,
    token: chancery.operatorToken,
    spool: join(folder, 'spool'),
    collectMs: 5,
    log: message => logged.push(message),
  })
  const stopping = new AbortController()
  const running = follow({
    db,
    sender,
    positionFile,
    signal: stopping.signal,
    log: (line: string) => logged.push(line),
  })
  await work()
  stopping.abort()
  await running
  await sender.close()
  return logged
}

const scoreOf = async (id: number) => {
  const response = await chancery.get(`/nations/${id}`)
  if (response.status !== 200) return response.status
  return ((await response.json()) as { data: { national_score: number } }).data.national_score
}
const untilScore = (id: number, score: number) =>
  until(async () => (await scoreOf(id)) === score, `nation ${id} has ${score}`)
const untilStored = (position: number) =>
  until(async () => {
    const text = await readFile(positionFile, 'utf8').catch(() => 'null')
    return JSON.parse(text)?.at === position
  }, `the position is ${position}`)

test('documents are sent as a whole, then each change', async () => {
  db.put({ _id: 1, name: 'Aurelia', score: 1 })
  db.put({ _id: 2, name: 'Karsk', score: 2 })
  const logged = await during(async () => {
    await untilScore(2, 2)
    db.put({ _id: 1, name: 'Aurelia', score: 10 })
    db.put({ _id: 3, name: 'Valdoria', score: 3 })
    db.remove(2)
    await untilScore(3, 3)
    await untilScore(2, 404)
    assert.equal(await scoreOf(1), 10)
    await untilStored(5)
  })
  assert.deepEqual(logged, [])
})

test('a restart continues at its position, and sends the changes in between', async () => {
  db.put({ _id: 1, name: 'Aurelia', score: 11 })
  await during(async () => {
    await untilScore(1, 11)
    await untilStored(6)
  })
})

test('where the position is lost, everything is sent again, and what is gone is deleted', async () => {
  db.remove(3)
  db.put({ _id: 1, name: 'Aurelia', score: 12 })
  db.first = db.log.length
  const logged = await during(async () => {
    await untilScore(1, 12)
    assert.equal(await scoreOf(3), 404)
  })
  assert.match(logged.join(), /everything is sent again/)
})
