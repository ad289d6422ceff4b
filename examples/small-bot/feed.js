// Posts events of a game into a Discord channel, in one file to copy. How to run it: /docs/guides/your-first-bot
import { readFile, writeFile } from 'node:fs/promises'
import { Chancery, CursorExpired } from '@chancery/client'
import { WebhookClient } from 'discord.js'

const { DISCORD_WEBHOOK_URL: url, CHANCERY_URL = 'http://127.0.0.1:8080', CHANCERY_KEY } = process.env
// All wars. For one nation add nation_id: ['n42'], for one alliance alliance_id: ['a7'].
const filter = { type: ['war.*'] }
const file = 'feed-position.txt'

const game = new Chancery({ baseUrl: CHANCERY_URL, apiKey: CHANCERY_KEY || undefined })
const channel = url && new WebhookClient({ url }, { allowedMentions: { parse: [] } })
const post = content => (channel ? channel.send(content.slice(0, 2_000)) : console.log(content))
const safe = text => text.replace(/[\s\p{C}]+/gu, ' ').replace(/[\\*_~`|<>[\]():#+-]/g, '\\$&')

console.log(`Waiting for events ${filter.type} of ${CHANCERY_URL}.`)
const position = await readFile(file, 'utf8').catch(() => '')
let after = position ? Number(position) : undefined
for (;;) {
  try {
    for await (const event of game.events.follow({ ...filter, after })) {
      await post(safe(event.summary))
      // After a restart the feed continues here.
      await writeFile(file, `${event.seq}`)
    }
  } catch (error) {
    if (!(error instanceof CursorExpired)) throw error
    await post('Events were missed: the feed was stopped for longer than the game keeps its log.')
    after = undefined
  }
}
