export interface Config {
  discordToken: string
  chanceryUrl: string
  chanceryKey: string | undefined
  storePath: string
  /** Where to receive webhooks; undefined to follow the stream. */
  webhook: { secrets: string[]; host: string; port: number } | undefined
}

/** @throws {Error} naming the variable that is missing or wrong. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const required = (name: string): string => {
    const value = env[name]
    if (!value) throw new Error(`${name} is not set: see README.md`)
    return value
  }
  const chanceryUrl = required('CHANCERY_URL')
  if (!URL.canParse(chanceryUrl))
    throw new Error('CHANCERY_URL is not an address such as https://api.game.example')
  const secrets = (env.CHANCERY_WEBHOOK_SECRET ?? '').split(',').filter(secret => secret !== '')
  const port = Number(env.PORT || 4000)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('PORT is not a port')
  return {
    discordToken: required('DISCORD_TOKEN'),
    chanceryUrl,
    chanceryKey: env.CHANCERY_KEY || undefined,
    storePath: env.BOT_STORE || 'discord-bot.sqlite',
    webhook: secrets.length > 0 ? { secrets, host: env.HOST || '127.0.0.1', port } : undefined,
  }
}
