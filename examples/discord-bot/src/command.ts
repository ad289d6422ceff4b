import type { Operations } from '@chancery/client'
import type { Client, InteractionEditReplyOptions, SharedSlashCommand } from 'discord.js'
import type { PagedInteraction } from './pages.ts'
import type { Store } from './store.ts'

/** The operations that the bot uses: a test can pass less than a client. */
export type Api = Omit<Operations, 'me'>

export interface Bot {
  discord: Client<true>
  api: Api
  store: Store
  /** Receives errors of the bot itself. */
  onError(err: unknown): void
}

/** What a file of `commands/` exports. */
export interface Command {
  data: SharedSlashCommand
  /** Only the user sees the reply. */
  isPrivate?: boolean
  /** Returns the reply to the command, or to a button of its pages. */
  execute(interaction: PagedInteraction, bot: Bot): Promise<InteractionEditReplyOptions | string>
}
