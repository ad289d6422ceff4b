// Loaded before a program of this folder by a test: Discord is then the server that DISCORD_API names.
import { DefaultRestOptions } from 'discord.js'

DefaultRestOptions.api = process.env.DISCORD_API
