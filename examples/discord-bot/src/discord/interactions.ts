import {
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  MessageFlags,
} from 'discord.js'
import { type AnswerOptions, answer } from '../answer.ts'
import { type Choice, suggestAlliances, suggestNations, suggestRanks } from '../choose.ts'
import type { Bot, Command, Option } from '../command.ts'
import { clean } from '../escape.ts'
import { sentence } from '../reply.ts'
import { plain } from '../text.ts'
import { readPageId } from './page-id.ts'
import { payload } from './payload.ts'
import { roleProblem } from './role-problem.ts'

export interface InteractionParts {
  commands: readonly Command[]
  bot: Bot
  options?: AnswerOptions
}

/** Discord gives an autocomplete three seconds. */
const suggestMs = 2_000
const choiceLengthMax = 100

const unknownSentence = 'I do not know this command any more.'

/** Answers whatever a user does with the bot. */
export async function interact(interaction: Interaction, parts: InteractionParts): Promise<void> {
  if (interaction.isChatInputCommand()) return runCommand(interaction, parts)
  if (interaction.isButton()) return turnPage(interaction, parts)
  if (interaction.isAutocomplete()) return suggest(interaction, parts)
}

const nameOf = (interaction: ChatInputCommandInteraction | AutocompleteInteraction): string =>
  [interaction.commandName, interaction.options.getSubcommand(false)].filter(word => word !== null).join(' ')

async function runCommand(
  interaction: ChatInputCommandInteraction,
  { commands, bot, options }: InteractionParts,
): Promise<void> {
  const command = commands.find(({ name }) => name === nameOf(interaction))
  if (!command) {
    await interaction.reply({ ...payload(sentence(plain(unknownSentence))), flags: MessageFlags.Ephemeral })
    return
  }
  // The game may take longer than the three seconds that Discord gives.
  await interaction.deferReply(command.isPrivate ? { flags: MessageFlags.Ephemeral } : {})
  const problem = roleProblem(interaction)
  const asked = {
    values: valuesOf(interaction, command.options),
    page: 1,
    account: interaction.user.id,
    guild: interaction.guildId,
  }
  const reply = problem === undefined ? await answer(command, asked, bot, options) : sentence(plain(problem))
  await interaction.editReply(payload(reply, command))
}

function valuesOf(
  interaction: ChatInputCommandInteraction,
  options: readonly Option[],
): Record<string, string> {
  return Object.fromEntries(
    options.flatMap(({ name, kind }) => {
      const value =
        kind === 'role'
          ? interaction.options.getRole(name)?.id
          : kind === 'channel'
            ? interaction.options.getChannel(name)?.id
            : interaction.options.getString(name)?.trim()
      return value ? [[name, value]] : []
    }),
  )
}

async function turnPage(
  interaction: ButtonInteraction,
  { commands, bot, options }: InteractionParts,
): Promise<void> {
  const asked = readPageId(interaction.customId, commands)
  if (!asked) {
    await interaction.reply({ ...payload(sentence(plain(unknownSentence))), flags: MessageFlags.Ephemeral })
    return
  }
  const { command, values, page } = asked
  const owner = interaction.message.interactionMetadata?.user.id
  if (owner !== undefined && owner !== interaction.user.id) {
    const own = sentence(plain(`Somebody else reads this. Ask for a copy of your own: /${command.name}`))
    await interaction.reply({ ...payload(own), flags: MessageFlags.Ephemeral })
    return
  }
  await interaction.deferUpdate()
  const { user, guildId: guild } = interaction
  const reply = await answer(command, { values, page, account: user.id, guild }, bot, options)
  await interaction.editReply(payload(reply, command))
}

async function suggest(
  interaction: AutocompleteInteraction,
  { commands, bot }: InteractionParts,
): Promise<void> {
  const { name: focused, value } = interaction.options.getFocused(true)
  const command = commands.find(({ name }) => name === nameOf(interaction))
  const option = command?.options.find(({ name }) => name === focused)
  const choices = option ? await suggestions(option, value, bot) : []
  await interaction.respond(
    choices.map(({ label, value: chosen }) => ({ name: labelText(label), value: chosen })),
  )
}

/** Nothing where it cannot be known in time: what was typed can be sent all the same. */
async function suggestions({ kind }: Option, typed: string, { api, words }: Bot): Promise<Choice[]> {
  const signal = AbortSignal.timeout(suggestMs)
  try {
    if (kind === 'nation') return await suggestNations(typed, api, signal)
    if (kind === 'alliance') return await suggestAlliances(typed, api, signal)
    return kind === 'rank' ? await suggestRanks(typed, words) : []
  } catch {
    return []
  }
}

/** Discord shows labels as they are, and cuts none: it refuses them. */
const labelText = (label: string): string => {
  const characters = Array.from(clean(label) || '(no name)')
  while (characters.join('').length > choiceLengthMax) characters.pop()
  return characters.join('')
}
