import type { Api } from './api.ts'
import type { Reply } from './reply.ts'
import type { Roles } from './roles/settle.ts'
import type { Store } from './store.ts'
import type { Words } from './words.ts'

/** What users may ask, whatever they ask through. A name of two words is a subcommand. */
export interface Command {
  name: string
  description: string
  options: readonly Option[]
  /** Only for those who may manage the guild. */
  isForManagers?: boolean
  /** Nobody but the caller sees the reply. */
  isPrivate?: boolean
  run(asked: Asked, bot: Bot): Promise<Reply>
}

export interface Option {
  name: string
  description: string
  /** A nation or an alliance is a name, or `id:` and an id, which is what autocomplete gives. */
  kind: 'nation' | 'alliance' | 'text' | 'rank' | 'choice' | 'role' | 'channel'
  choices?: readonly string[]
  isRequired?: boolean
}

export interface Asked {
  /** By the names of the options; what was left out is not there. */
  values: Record<string, string>
  /** From 1. */
  page: number
  /** The caller's account, as the chat knows it. */
  account: string
  /** Null in a private conversation. */
  guild: string | null
}

/** All that commands work with. */
export interface Bot {
  api: Api
  words: Words
  store: Store
  roles: Roles
}
