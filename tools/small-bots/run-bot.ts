import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { fakeDiscord } from '../../examples/discord-bot/test/support/discord.ts'
import { createUsers } from '../../examples/discord-bot/test/support/users.ts'
import { root } from '../guides/guide.ts'

const python = process.env.PYTHON ?? 'python3'
const here = (file: string) => join(root, 'examples/small-bot/test', file)

/** A language of the small bot, and the program that runs one of its files with a fake Discord. */
export interface Language {
  extension: string
  command: string
  args: string[]
  /** Why its tests are skipped, if what it needs is not installed. */
  skip?: string
}

export const javascript: Language = {
  extension: 'js',
  command: process.execPath,
  args: ['--import', here('redirect-discord.js')],
}

/** SyncWebhook of discord.py uses requests. */
const hasDiscordPy = spawnSync(python, ['-c', 'import discord, requests']).status === 0

/** With the real discord.py: `apt-get install python3-discord python3-requests`. */
export const pythonLanguage: Language = {
  extension: 'py',
  command: python,
  args: ['-B', here('redirect_discord.py')],
  ...(!hasDiscordPy && { skip: `${python} has no discord.py` }),
}

export interface ProgramOptions {
  /** Base URL of the game's API. */
  url: string
  discordApi: string
  cwd?: string
  env?: NodeJS.ProcessEnv
}

/** Starts a file of examples/small-bot, as `bot` or `feed`. */
export function startProgram({ extension, command, args }: Language, name: string, options: ProgramOptions) {
  const child = spawn(command, [...args, join(root, `examples/small-bot/${name}.${extension}`)], {
    cwd: options.cwd,
    env: {
      ...process.env,
      PYTHONPATH: [join(root, 'examples/python'), process.env.PYTHONPATH].filter(Boolean).join(delimiter),
      PYTHONUTF8: '1',
      CHANCERY_URL: options.url,
      DISCORD_API: options.discordApi,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  return { child, errors: () => errors }
}

/** Ends a program and waits for its end. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

export type SmallBot = Awaited<ReturnType<typeof startSmallBot>>

/** The bot in a guild of a fake Discord, with its commands registered. */
export async function startSmallBot(language: Language, url: string, env: NodeJS.ProcessEnv = {}) {
  const discord = await fakeDiscord()
  const options = { url, discordApi: discord.rest.api, env: { DISCORD_TOKEN: 'token-of-a-test', ...env } }
  const { child, errors } = startProgram(language, 'bot', options)
  const close = async () => {
    await stop(child)
    await discord.close()
  }
  try {
    const { body: commands } = await discord.request('PUT', /\/commands$/)
    await discord.connected
    return { ...createUsers(discord), commands, errors, close }
  } catch (cause) {
    await close()
    throw new Error(`bot.${language.extension} did not register its commands\n${errors()}`, { cause })
  }
}
