import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { limits } from '@chancery/contract'
import { readConfig } from '@chancery/server'

const root = fileURLToPath(new URL('../', import.meta.url))
const page = await readFile(join(root, 'docs/operations/settings.md'), 'utf8')
const namesIn = (text: string) => new Set(text.match(/CHANCERY_[A-Z_]+[A-Z]/g) ?? [])

test('the page lists exactly the variables that are read', async () => {
  const sources = globSync(['server/src/**/*.ts', 'cli/src/**/*.ts', 'cli/bin/*.js', 'connect/src/**/*.ts'], {
    cwd: root,
  })
  const texts = await Promise.all(sources.map(file => readFile(join(root, file), 'utf8')))
  // The prefix of the two variables of a certificate.
  const read = new Set([...namesIn(texts.join('\n'))].filter(name => !/_TLS$/.test(name)))
  assert.deepEqual([...namesIn(page)].sort(), [...read].sort())
})

test('every variable of the page and the repository is known', () => {
  const files = globSync(
    [
      '{acceptance,bench,cli,client,connect,server,tools}/**/*.{ts,js}',
      'examples/**/*.{ts,md}',
      'deploy/**/*',
      'docs/**/*.md',
    ],
    {
      cwd: root,
      exclude: ['**/node_modules', 'server/test/startup.test.ts', '**/dist'],
      withFileTypes: true,
    },
  ).filter(file => file.isFile())
  const names = files.flatMap(file => [...namesIn(readFileSync(join(file.parentPath, file.name), 'utf8'))])
  assert.ok(names.length > 100)
  // A prefix.
  const env = Object.fromEntries(names.filter(name => !/_TLS$/.test(name)).map(name => [name, '']))
  assert.deepEqual(readConfig(env).unknownVariables, [])
})

test('the defaults on the page are those of a configuration without variables', () => {
  const config = readConfig({})
  const documented = (name: string) => {
    const row = page
      .split('\n')
      .find(line => line.startsWith('|') && line.split('|')[1]?.includes(`\`${name}\``))
    const names = [...namesIn(row?.split('|')[1] ?? '')]
    const values = [...(row?.split('|')[2] ?? '').replace(/\([^)]*\)/g, '').matchAll(/`([^`]*)`/g)]
    return values[names.indexOf(name)]?.[1]
  }
  const defaults: Record<string, unknown> = {
    CHANCERY_HOST: config.host,
    CHANCERY_PORT: config.port,
    CHANCERY_OPERATOR_HOST: config.operatorHost,
    CHANCERY_OPERATOR_PORT: config.operatorPort,
    CHANCERY_SHARE_PORTS: config.sharesPorts,
    CHANCERY_DRAIN_SECONDS: config.drainSeconds,
    CHANCERY_DATABASE_STATEMENT_NAMES: config.databaseNamesStatements,
    CHANCERY_JOURNAL_ROWS: config.requestLogRowsMax,
    CHANCERY_LOG_LEVEL: config.logLevel,
    CHANCERY_PAGE_COLOR: config.pageColor,
    CHANCERY_ANONYMOUS_LIMIT: limits.anonymousCalls,
    CHANCERY_KEY_LIMIT: limits.keyCalls,
    CHANCERY_STREAMS_PER_KEY: limits.streamsPerKey,
    CHANCERY_STREAMS_PER_IP: limits.streamsPerAddress,
    CHANCERY_WEBHOOKS_IN_FLIGHT: config.webhooksInFlight,
    CHANCERY_WEBHOOKS_ALLOW_LOCAL: config.webhooksAllowLocal,
  }
  for (const [name, value] of Object.entries(defaults)) assert.equal(documented(name), String(value), name)
})
