import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ChannelType,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js'
import type { Command, Option } from '../command.ts'

/** Rules hand out roles: only who may do so by hand may make one. */
const managerPermissions = String(PermissionFlagsBits.ManageGuild | PermissionFlagsBits.ManageRoles)

/** The commands as Discord registers them; those of two words are subcommands of the first. */
export function definitions(commands: readonly Command[]): RESTPostAPIChatInputApplicationCommandsJSONBody[] {
  const groups = Map.groupBy(commands, ({ name }) => name.split(' ')[0] ?? name)
  return Array.from(groups, ([name, of]) => {
    const [first] = of
    const isGroup = first?.name !== name
    return {
      type: ApplicationCommandType.ChatInput,
      name,
      description: isGroup ? 'What this bot does in this server' : (first?.description ?? name),
      options: isGroup ? of.map(subcommand) : (first?.options.map(optionDefinition) ?? []),
      ...(first?.isForManagers && {
        default_member_permissions: managerPermissions,
        contexts: [InteractionContextType.Guild],
      }),
    }
  })
}

const subcommand = ({ name, description, options }: Command): APIApplicationCommandOption => ({
  type: ApplicationCommandOptionType.Subcommand,
  name: name.split(' ')[1] ?? name,
  description,
  options: options.map(optionDefinition),
})

function optionDefinition(option: Option): APIApplicationCommandBasicOption {
  const { name, description, kind, isRequired: required = false } = option
  const common = { name, description, required }
  if (kind === 'role') return { ...common, type: ApplicationCommandOptionType.Role }
  if (kind === 'channel')
    return {
      ...common,
      type: ApplicationCommandOptionType.Channel,
      channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
    }
  const type = ApplicationCommandOptionType.String
  if (option.choices)
    return { ...common, type, choices: option.choices.map(choice => ({ name: choice, value: choice })) }
  if (kind === 'text') return { ...common, type, max_length: 64 }
  return { ...common, type, autocomplete: true }
}
