import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { commands } from '../src/commands/index.ts'
import { fact, list } from '../src/reply.ts'
import { readCommand } from '../src/terminal/command-line.ts'
import { widthOf, wrap } from '../src/terminal/width.ts'
import { writeReply } from '../src/terminal/write-reply.ts'
import { ago, name, plain, text } from '../src/text.ts'
import { testBot } from './support/bot.ts'
import { largestGame } from './support/largest.ts'

const main = fileURLToPath(new URL('../src/terminal.ts', import.meta.url))
const run = (args: string[], input = '') =>
  spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', input, timeout: 30_000 })

describe('a line', () => {
  const lines: [string, string, Record<string, string>][] = [
    ['nation Kingdom of Thalene', 'nation', { nation: 'Kingdom of Thalene' }],
    ['/NATION "Kingdom of Thalene"', 'nation', { nation: 'Kingdom of Thalene' }],
    ['wars', 'wars', {}],
    ['rankings alliances', 'rankings', { board: 'alliances' }],
    ['setup show', 'setup show', {}],
    ['setup role Citizen', 'setup role', { role: 'Citizen' }],
    [
      'setup role "War hero" alliance="Copper Vanguard" rank=officer',
      'setup role',
      { role: 'War hero', alliance: 'Copper Vanguard', rank: 'officer' },
    ],
    ['setup role Hero Copper Vanguard', 'setup role', { role: 'Hero', alliance: 'Copper Vanguard' }],
  ]
  for (const [line, command, values] of lines)
    test(`${line} is read as it is meant`, () => {
      const read = readCommand(line, commands)
      assert.ok('command' in read)
      assert.deepEqual([read.command.name, read.values], [command, values])
    })

  test('that is no command, or lacks what it needs, is answered with what to do', () => {
    assert.deepEqual(readCommand('launch everything', commands), {
      problem: 'There is no command launch. Type help to see what there is.',
    })
    assert.deepEqual(readCommand('war', commands), {
      problem: 'war WAR: Its id, as the list of wars shows it',
    })
  })
})

describe('a reply', () => {
  const now = new Date('2026-05-27T18:00:00Z')

  test('is a bar with a title, facts beside their names, and lists below theirs', () => {
    const reply = {
      embeds: [
        {
          title: [name('Valdoria')],
          lines: [text`Declared ${ago('2026-05-27T15:00:00Z')}`],
          fields: [fact('Score', text`${1843.25}`), list('Members', [plain('Karsk'), plain('Thalene')])],
          footer: plain('Nation n42'),
        },
      ],
      pages: { page: 2, pages: 3, again: {} },
    }
    assert.equal(
      writeReply(reply, { columns: 40, hasColor: false, now }),
      [
        '▌ Valdoria',
        '▌',
        '▌ Declared 3 hours ago',
        '▌',
        '▌ Score         1,843.25',
        '▌',
        '▌ Members',
        '▌   Karsk',
        '▌   Thalene',
        '▌',
        '▌ Nation n42',
        '▌ Page 2 of 3: next, back or page N',
      ].join('\n'),
    )
  })

  test('has the colour of the nation where the terminal has colours', () => {
    const reply = { embeds: [{ lines: [plain('x')], color: '#2f6fde' }] }
    assert.equal(
      writeReply(reply, { columns: 40, hasColor: true, now }),
      '\u001b[38;2;47;111;222m▌\u001b[39m x',
    )
  })

  test('gives the terminal no orders, whatever players are called', () => {
    const reply = { embeds: [{ title: [name('\u001b[2J\u202eEvil\r\nnation')] }] }
    assert.equal(writeReply(reply, { columns: 40, hasColor: false, now }), '▌ [2JEvil nation')
  })

  test('is never wider than the terminal, with the longest names', async () => {
    for (const letter of ['W', '漢', 'a b ']) {
      const { speak } = testBot({ baseUrl: 'http://game.example', fetch: largestGame(letter) })
      for (const line of [
        'nation x',
        'alliance x',
        'war w1',
        'wars',
        'market',
        'conflict',
        'era',
        'nukes',
        'history',
      ])
        for (const shown of (await speak(line)).split('\n'))
          assert.ok(widthOf(shown) <= 80, `${line}: ${shown}`)
    }
  })
})

test('words are broken only where they are wider than a line', () => {
  assert.deepEqual(wrap('one two three', 8), ['one two', 'three'])
  assert.deepEqual(wrap('abcdefghij k', 4), ['abcd', 'efgh', 'ij k'])
  assert.deepEqual(wrap('漢字漢字', 4), ['漢字', '漢字'])
})

describe('pages', () => {
  test('are turned by next, back and a number, within what there is', async () => {
    const { speak } = testBot({ baseUrl: 'http://game.example', fetch: largestGame('W') })
    assert.equal(await speak('next'), 'There is nothing to turn the pages of.')
    await speak('rankings')
    assert.match(await speak('back'), /There are \d+ pages, and this is page 1\./)
    assert.match(await speak('next'), /Page 2 of/)
    assert.match(await speak('page 7'), /Page 7 of/)
    assert.match(await speak('back'), /Page 6 of/)
  })
})

describe('the command', () => {
  test('without an address says how it is used', () => {
    for (const args of [[], ['--base-url', 'nowhere'], ['--base-url', 'ftp://x'], ['--what']]) {
      const { status, stderr } = run(args)
      assert.equal(status, 2)
      assert.match(stderr, /^usage: npm run bot:terminal/)
    }
  })

  test('answers one command a line, with the service offline too, and ends with its input', () => {
    const { status, stdout, stderr } = run(['--base-url', 'http://127.0.0.1:9'], 'help\n\nera\n')
    assert.equal(status, 0)
    assert.equal(stderr, '')
    assert.match(stdout, /^> help\nnation NATION/)
    assert.match(stdout, /> era\n▌ The game’s office does not answer at the moment/)
  })
})
