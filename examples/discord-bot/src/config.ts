/** @throws {Error} naming the variable that is missing or wrong. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const required = (name: string): string => {
    const value = env[name]
    if (!value) throw new Error(`${name} is not set: see README.md`)
    return value
  }
  const chanceryUrl = required('CHANCERY_URL')
  if (!URL.canParse(chanceryUrl))
    throw new Error('CHANCERY_URL is not an address such as https://api.game.example')
  return {
    discordToken: required('DISCORD_TOKEN'),
    chanceryUrl,
    chanceryKey: env.CHANCERY_KEY || undefined,
    storePath: env.BOT_STORE || 'discord-bot.sqlite',
  }
}
