import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import {
  hasRole,
  isStatusMemberFor,
  limits,
  type OperatorOperation,
  operatorErrors,
  operatorOperations,
  operatorRoleNames,
} from '@chancery/contract'
import type { TObject } from 'typebox'
import { markedBlock, tableRows } from '../../../tools/guides/guide.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const run = promisify(execFile)
const page = await readFile(new URL('../../../docs/operations/operator-api.md', import.meta.url), 'utf8')
const skip = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed'

describe('the commands of the page about the operator API', { skip }, () => {
  let chancery: TestServer
  before(async () => {
    chancery = await startTestServer()
  })
  after(() => chancery.close())

  const runBlock = async (name: string) => {
    const { stdout } = await run('sh', ['-euc', markedBlock(page, name)], {
      env: {
        ...process.env,
        CHANCERY_OPERATOR_URL: chancery.operatorUrl,
        CHANCERY_OPERATOR_TOKEN: chancery.operatorToken,
      },
    })
    return stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  }

  test('work', async () => {
    const [status] = await runBlock('first-call.sh')
    assert.equal(status.last_batch, null)
    const [one] = await runBlock('one-batch.sh')
    assert.deepEqual([one.batch, one.status], ['turn-8817', 'applied'])
    const [again] = await runBlock('one-batch.sh')
    assert.equal(again.status, 'duplicate')
    const lines = await runBlock('stream.sh')
    assert.deepEqual(
      lines.map(({ batch, status: became }) => [batch, became]),
      [
        ['turn-8818', 'applied'],
        ['turn-8819', 'refused'],
      ],
    )
  })
})

test('the page lists for each role what the contract lists', () => {
  const rows = tableRows(page.slice(page.indexOf('| Role ')).split('\n\n')[0] ?? '')
  const everyOperation: OperatorOperation[] = Object.values(operatorOperations)
  const documented = new Map(rows.map(([role = '', opens = '']) => [role.replaceAll('`', ''), opens]))
  assert.deepEqual([...documented.keys()], operatorRoleNames)
  for (const [role, opens] of documented) {
    if (role === 'admin') continue
    const paths = [...opens.matchAll(/`(?:(GET|POST) )?(\/\w+)`/g)].map(([, , path]) => path)
    const opened = everyOperation
      .filter(({ roles, id }) => hasRole(new Set([role as 'facts']), roles) && id !== 'status.get')
      .map(({ path }) => `/${path.split('/')[1]}`)
    assert.deepEqual([...new Set(opened)].toSorted(), paths.toSorted(), role)
  }
})

test('the page lists the members of the status for each role', () => {
  const rows = tableRows(page.slice(page.indexOf('| Role       | Members of')).split('\n\n')[0] ?? '')
  const namesIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
  const documented = new Map(rows.map(([role = '', members]) => [role.replaceAll('`', ''), namesIn(members)]))
  const schema = operatorOperations.statusGet.responses[200].content['application/json']?.schema as TObject
  const members = Object.keys(schema.properties)
  for (const role of operatorRoleNames) {
    const shown = members.filter(member => isStatusMemberFor(new Set([role]), member))
    const onPage =
      role === 'admin' ? members : [...(documented.get('every role') ?? []), ...(documented.get(role) ?? [])]
    assert.deepEqual(onPage.toSorted(), shown.toSorted(), role)
  }
})

test('the numbers on the page are those of the code', () => {
  const count = (number: number) => number.toLocaleString('en')
  for (const sentence of [
    `stored for at least ${limits.batchIdDays} days`,
    `stays valid for ${limits.tokenOverlapHours} hours (\`--overlap-hours\`, from 0 to ${limits.tokenOverlapHoursMax})`,
    `kept for ${limits.auditLogDays} days, those of batches for ${limits.batchIdDays}, and of one action at most ${count(limits.auditLogLinesPerAction)}`,
    `at most ${count(limits.deadLettersPerFeed)} batches and ${limits.deadLetterBytesPerFeed / 1_048_576} MiB of one feed`,
    `${count(limits.deadLettersTotal)} batches and ${limits.deadLetterBytesTotal / 1_048_576} MiB in all`,
    `At most ${count(limits.feeds)} feeds are known`,
    `of at most ${limits.deadLetterBytesMax / 1_048_576} MiB is kept for ${limits.deadLetterDays} days`,
  ])
    assert.ok(page.includes(sentence), `the page does not say: ${sentence}`)
  for (const { status } of [operatorErrors.invalid_api_key, operatorErrors.insufficient_role])
    assert.ok(page.includes(`${status}`))
})
