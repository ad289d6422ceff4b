import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../src/config.ts'

const env = { DISCORD_TOKEN: 't', CHANCERY_URL: 'https://api.game.example' }

test('with the two required variables, the bot follows the stream', () => {
  assert.deepEqual(readConfig(env), {
    discordToken: 't',
    chanceryUrl: 'https://api.game.example',
    chanceryKey: undefined,
    storePath: 'discord-bot.sqlite',
  })
})

test('a missing or invalid variable is named, and its value never shown', () => {
  assert.throws(() => readConfig({ ...env, DISCORD_TOKEN: '' }), /DISCORD_TOKEN is not set/)
  assert.throws(() => readConfig({ DISCORD_TOKEN: 't' }), /CHANCERY_URL is not set/)
  assert.throws(() => readConfig({ ...env, CHANCERY_URL: 'nowhere' }), /CHANCERY_URL is not an address/)
})
