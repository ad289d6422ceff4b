import { test } from 'node:test'
import { useFixture, useTestServer } from '../../server/test/support/fixture.ts'
import { until } from '../../server/test/support/until.ts'
import { createSmallGame } from './game.ts'
import { startRunner } from './killed.ts'

const chancery = useTestServer()
const game = useFixture(
  () => createSmallGame(chancery.databaseUrl, { start: 1000, nations: 30 }),
  opened => opened.drop(),
)

const motto = async () =>
  (await chancery.read<{ data: { motto: string | null } }>('/nations/1001')).data.motto
const setMotto = (text: string) => game.query('update nations set motto = $1 where id = 1001', [text])

test('a suspended process loses the lock to a standby, and stands by itself when it resumes', async t => {
  const env = {
    PATH: process.env.PATH ?? '',
    GAME_URL: game.url,
    OPERATOR_URL: chancery.operatorUrl,
    OPERATOR_TOKEN: chancery.operatorToken,
    IDLE_TIMEOUT_MS: '1500',
    ALLOW_DELETES: '1',
  }
  const first = startRunner('pull', env)
  t.after(() => first.kill())
  await first.until(/^\{/)
  const second = startRunner('pull', env)
  t.after(() => second.kill())
  await second.until(/waiting for it to stop/)
  first.child.kill('SIGSTOP')
  await second.until(/taking over/)
  await setMotto('by the second')
  await until(async () => (await motto()) === 'by the second', 'the second works')
  first.child.kill('SIGCONT')
  await first.until(/waiting for it to stop/)
  await setMotto('by the second still')
  await until(async () => (await motto()) === 'by the second still', 'the second continues')
  await second.kill()
  await first.until(/the other pull has stopped/)
})
