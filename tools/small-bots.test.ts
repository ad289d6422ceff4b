/** The small bot of the examples, with a fake Discord. What takes longer is in small-bots.full.test.ts. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { markedBlock, readGuide, root } from './guides/guide.ts'
import { testCommands, testMissingToken } from './small-bots/bot-suites.ts'
import { javascript, pythonLanguage } from './small-bots/run-bot.ts'

const guide = await readGuide('your-first-bot')
const read = (file: string) => readFile(join(root, file), 'utf8')

for (const [file, linesMax] of [
  ['bot.js', 100],
  ['bot.py', 100],
  ['feed.js', 40],
  ['feed.py', 41],
] as const) {
  test(`${file} has at most ${linesMax} lines, and the guide shows it`, async () => {
    const program = await read(`examples/small-bot/${file}`)
    assert.ok(program.trimEnd().split('\n').length <= linesMax)
    assert.equal(markedBlock(guide, file), program)
  })
}

test('the guide and the README install the present version of the client, and need no checkout', async () => {
  const { version } = JSON.parse(await read('client/package.json'))
  for (const document of [guide, await read('examples/small-bot/README.md')]) {
    assert.ok(document.includes(`/downloads/chancery-client-${version}.tgz\n`))
    assert.doesNotMatch(document, /npx chancery/)
  }
})

testCommands(javascript)
for (const language of [javascript, pythonLanguage]) testMissingToken(language)
