import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createLogDestination } from '../../src/telemetry/log.ts'
import { until } from '../support/until.ts'

const skip = process.platform === 'win32'

/** Both ends of a pipe; neither end blocks. */
function openPipe(t: TestContext): { reader: number; writer: number } {
  const dir = mkdtempSync(join(tmpdir(), 'chancery-log-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'pipe')
  assert.equal(spawnSync('mkfifo', [path]).status, 0)
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { reader, writer: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) }
}

function readAvailable(fd: number): string {
  const chunk = Buffer.alloc(65_536)
  try {
    return chunk.toString('utf8', 0, readSync(fd, chunk))
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN')
    return ''
  }
}

test('lines for a slow reader wait in a bounded buffer, and the rest are dropped and counted', {
  skip,
}, async t => {
  const { reader, writer } = openPipe(t)
  let dropped = 0
  const log = createLogDestination(writer, () => {
    dropped += 1
  })
  const lines = Array.from({ length: 4_000 }, (_, number) => `${number} ${'x'.repeat(990)}\n`)
  for (const line of lines) log.write(line)
  assert.ok(dropped > 2_500, `${dropped} of 4 MB are dropped`)
  let text = ''
  await until(() => {
    text += readAvailable(reader)
    return text.split('\n').length - 1 + dropped === lines.length
  }, 'all that was not dropped is read')
  assert.deepEqual(text, lines.slice(0, lines.length - dropped).join(''), 'whole lines in their order')
  log.write('again\n')
  assert.equal(readAvailable(reader), 'again\n')
  assert.equal(dropped, lines.length - text.split('\n').length + 1)
})

for (const [what, open] of [
  [
    'reader that is gone',
    (t: TestContext) => {
      const { reader, writer } = openPipe(t)
      closeSync(reader)
      return writer
    },
  ],
  ['disk that is full', () => openSync('/dev/full', 'w')],
] as const) {
  test(`a ${what} drops lines only, each of them counted`, { skip: process.platform !== 'linux' }, t => {
    let dropped = 0
    const log = createLogDestination(open(t), () => {
      dropped += 1
    })
    for (let line = 0; line < 3; line += 1) log.write('line\n')
    assert.equal(dropped, 3)
  })
}
