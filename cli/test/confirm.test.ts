import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { UsageError } from '../src/command-error.ts'
import { confirm } from '../src/terminal.ts'

function terminal(typed: string, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY })
  const messages = Object.assign(new PassThrough(), { isTTY })
  input.end(typed)
  return { env: {}, input, output: new PassThrough(), messages }
}

test('only the word itself confirms', async () => {
  for (const [typed, isConfirmed] of [
    ['p7\n', true],
    [' p7 \n', true],
    ['y\n', false],
    ['\n', false],
    ['', false],
  ] as const) {
    const shown = terminal(typed)
    assert.equal(await confirm(shown, 'All data of p7 is deleted.', 'p7'), isConfirmed, typed)
    shown.messages.end()
    assert.match(await text(shown.messages), /All data of p7 is deleted\.\nType p7 to continue: /)
  }
})

test('there is no prompt without a terminal', async () => {
  await assert.rejects(confirm(terminal('p7\n', false), 'All data of p7 is deleted.', 'p7'), UsageError)
})
