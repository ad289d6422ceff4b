import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RunningServer, readConfig } from '@chancery/server'
import { bannerText } from '../src/demo/banner.ts'

const service: RunningServer = {
  publicUrl: 'http://127.0.0.1:8080',
  operatorUrl: 'http://127.0.0.1:8081',
  operatorToken: 'operator-token-of-the-test',
  isEmptyWorld: false,
  makeSnapshot: async () => {},
  worldVersion: () => 1,
  importDay: async () => {},
  closed: new Promise(() => {}),
  drain: async () => {},
  close: async () => {},
}
const key = {
  kind: 'alliance officer',
  player_id: 'p4',
  nation_id: 'n4',
  nation_name: 'Four',
  alliance_id: 'a3',
  scopes: ['nation.read' as const],
  id: 'key_1',
  key: 'chk_x',
}
const world = { nations: 60, days: 90, seed: 1, endsAt: '2026-03-01T12:00:00Z', complete: true }
const shown = (webhooksAllowLocal: boolean) =>
  bannerText({ config: readConfig({}, { webhooksAllowLocal }), service, world, keys: [key] })

test('the demo shows how to receive events, quoted for a shell', () => {
  const text = shown(true)
  assert.match(text, /\n {2}curl -N 'http:\/\/127\.0\.0\.1:8080\/api\/v1\/events\/stream\?type=war\.\*'\n/)
  assert.match(
    text,
    /\n {2}.*npx chancery webhooks add --nation n4 \\\n {4}--url http:\/\/127\.0\.0\.1:9000\/ --types 'war\.\*'\n/,
  )
})

test('the demo does not offer a local receiver where it may not reach one', () => {
  const text = shown(false)
  assert.match(text, /curl -N /)
  assert.doesNotMatch(text, /webhooks add/)
})

test('the demo names the pages first, then keys and requests', () => {
  const text = shown(true)
  const places = [
    'start page  http://127.0.0.1:8080/\n',
    '8080/docs/guides\n',
    '8080/docs\n',
    '8080/developers\n',
    'API keys',
    'curl',
  ]
  const positions = places.map(place => text.replaceAll(/ {3,}/g, '  ').indexOf(place))
  assert.ok(!positions.includes(-1), text)
  assert.deepEqual(
    positions,
    positions.toSorted((one, other) => one - other),
  )
})
