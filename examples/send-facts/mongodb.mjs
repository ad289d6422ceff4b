/**
 * Sends collections of MongoDB to Chancery, and then every change: a program to copy and adapt.
 *
 *     npm install mongodb http://127.0.0.1:8080/downloads/chancery-game-0.2.0.tgz
 *     MONGODB_URL=mongodb://127.0.0.1/game CHANCERY_OPERATOR_TOKEN=… node mongodb.mjs
 *
 * Change streams need a replica set, of one member at least. The position in the stream is stored in a file after the changes
 * before it are on disk, so that a restart continues there and loses nothing.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

/** For each collection: the resource, and its fields made of a document. Undefined: the document is not shown. */
export const mapping = {
  countries: {
    resource: 'nation',
    keyOf: document => String(document._id),
    dataOf: document => ({
      nation_name: document.name,
      national_score: document.score,
      founded_at: document.founded?.toISOString() ?? null,
    }),
  },
}

/** The MongoDB error of a position that the stream no longer contains. */
const historyLost = 286

/** Runs until the signal. */
export async function follow({
  db,
  sender,
  positionFile,
  signal,
  collections = mapping,
  log = console.error,
}) {
  while (!signal.aborted) {
    const position = await readPosition(positionFile)
    try {
      await followFrom({ db, sender, positionFile, signal, collections }, position)
    } catch (error) {
      if (signal.aborted) return
      if (error.code !== historyLost) throw error
      log('the change stream no longer contains the position: everything is sent again')
      await writePosition(positionFile, null)
    }
  }
}

async function followFrom({ db, sender, positionFile, signal, collections }, position) {
  const stream = db.watch([{ $match: { 'ns.coll': { $in: Object.keys(collections) } } }], {
    fullDocument: 'updateLookup',
    ...(position && { resumeAfter: position }),
  })
  signal.addEventListener('abort', () => stream.close(), { once: true })
  try {
    // The stream is open before the collections are read: what changes meanwhile is sent again, with its latest state.
    if (!position) {
      await stream.tryNext().then(change => change && send(sender, collections, change))
      await sendAll({ db, sender, collections })
    }
    while (!signal.aborted) {
      const change = await stream.tryNext()
      if (change) send(sender, collections, change)
      else await new Promise(resolve => setTimeout(resolve, 100))
      if (!change && stream.resumeToken) {
        await sender.stored()
        await writePosition(positionFile, stream.resumeToken)
      }
    }
  } finally {
    await stream.close()
  }
}

/** All documents as snapshots: items that no document has any more are deleted. */
async function sendAll({ db, sender, collections }) {
  const facts = []
  for (const [name, { resource, keyOf, dataOf }] of Object.entries(collections)) {
    facts.push({ op: 'snapshot', resource })
    for await (const document of db.collection(name).find()) {
      const data = dataOf(document)
      if (data) facts.push({ op: 'put', resource, data: { id: keyOf(document), ...data } })
    }
  }
  await sender.batch(facts, { announce: false })
}

function send(sender, collections, { ns, operationType, documentKey, fullDocument }) {
  const { resource, keyOf, dataOf } = collections[ns.coll] ?? {}
  if (!resource || !documentKey) return
  const data = operationType === 'delete' || !fullDocument ? undefined : dataOf(fullDocument)
  if (data) sender.put(resource, { id: keyOf(fullDocument), ...data })
  else sender.delete(resource, keyOf(documentKey))
}

async function readPosition(file) {
  return JSON.parse(await readFile(file, 'utf8').catch(() => 'null'))
}

async function writePosition(file, position) {
  await writeFile(`${file}.new`, JSON.stringify(position))
  await rename(`${file}.new`, file)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { MongoClient } = await import('mongodb')
  const { openSender } = await import('@chancery/game')
  const client = await MongoClient.connect(process.env.MONGODB_URL)
  const sender = await openSender({ spool: './chancery-spool' })
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stopping.abort())
  await follow({ db: client.db(), sender, positionFile: './chancery-position.json', signal: stopping.signal })
  await sender.close()
  await client.close()
}
