import type { Game, Operations } from '@chancery/client'
import { name } from './text.ts'

type TermList =
  | 'ranks'
  | 'governments'
  | 'continents'
  | 'war_types'
  | 'battle_kinds'
  | 'treaty_types'
  | 'resources'
  | 'units'

/** The game's own terms for the keys of the API. */
export interface GameTerms {
  /** The label of a key; the key itself, made readable, if the game has none or is unavailable. */
  label(list: TermList, key: string): Promise<string>
  ranks(): Promise<{ key: string; label: string }[]>
}

const cacheMs = 10 * 60_000

/** `mutual_defense` as Mutual defense. */
export const readable = (key: string): string => {
  const words = key.replaceAll('_', ' ')
  return name(words.charAt(0).toUpperCase() + words.slice(1))
}

export function createGameTerms(api: Pick<Operations, 'game'>, now = () => Date.now()): GameTerms {
  let cached: { game: Game; readAt: number } | undefined

  async function read(): Promise<Game | undefined> {
    if (cached && now() - cached.readAt < cacheMs) return cached.game
    try {
      cached = { game: await api.game.get(), readAt: now() }
    } catch {
      // Old terms, or keys, still do: the command's own request decides what the user sees.
    }
    return cached?.game
  }

  return {
    async label(list, key) {
      const label = (await read())?.[list].find(term => term.key === key)?.label
      return label === undefined ? readable(key) : name(label)
    },
    ranks: async () => (await read())?.ranks ?? [],
  }
}
