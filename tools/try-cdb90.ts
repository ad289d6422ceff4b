/**
 * Ingests the real battles of examples/ingest-cdb90 into an empty Chancery, and counts the public resources over HTTP.
 * Exits 1 if a count is wrong; does nothing if the tables are not beside the repository.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { readAll, root, runChancery } from './smoke/running-chancery.ts'

const tables = join(root, '../shared/data/cdb90')
const chancery = join(root, 'cli/bin/chancery.js')
const expected = {
  nations: 54,
  conflicts: 64,
  wars: 119,
  battles: 657,
  victors: { attacker: 395, defender: 217, draw: 43, null: 2 },
}

if (existsSync(tables)) await tryTables()
else console.log('skipped: the CDB90 tables are missing')

async function tryTables() {
  const running = await runChancery([process.execPath, chancery, 'serve'], {
    settings: { CHANCERY_ANONYMOUS_LIMIT: '100000' },
  })
  try {
    const { refused } = JSON.parse(await ingest(running.env))
    assert.deepEqual(refused, [])
    assert.deepEqual(await count(running.url), expected)
    const log = await readLog(running.url)
    const again = JSON.parse(await ingest(running.env))
    assert.deepEqual(
      again.batches.map((batch: { status: string }) => batch.status),
      ['duplicate'],
    )
    assert.equal(await readLog(running.url), log, 'a second ingest of the same changes nothing')
    console.log(
      '54 nations, 64 global conflicts, 119 wars, 657 battles: 395 won by attackers, 217 by defenders, 43 draws',
    )
  } finally {
    await running.stop()
  }
}

/** The JSON document of `chancery ingest`. */
async function ingest(env: NodeJS.ProcessEnv): Promise<string> {
  const facts = spawn(process.execPath, [join(root, 'examples/ingest-cdb90/src/main.ts'), tables], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ingesting = spawn(process.execPath, [chancery, 'ingest', '-', '--json'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [document] = await Promise.all([text(ingesting.stdout), pipeline(facts.stdout, ingesting.stdin)])
  return document
}

/** The newest event, and their number. */
async function readLog(url: string): Promise<string> {
  return (await fetch(`${url}/api/v1/events?limit=1`)).text()
}

async function count(url: string) {
  const wars = await readAll(url, '/wars')
  const battles = (await Promise.all(wars.map(war => readAll(url, `/wars/${war.id}/battles`)))).flat()
  const won = Object.groupBy(battles, battle => String(battle.victor))
  return {
    nations: (await readAll(url, '/nations')).length,
    conflicts: (await readAll(url, '/global-conflicts')).length,
    wars: wars.length,
    battles: battles.length,
    victors: Object.fromEntries(Object.entries(won).map(([victor, of]) => [victor, of?.length])),
  }
}
