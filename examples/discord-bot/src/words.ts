import type { Game } from '@chancery/client'
import type { Api } from './api.ts'

const listNames = [
  'ranks',
  'governments',
  'continents',
  'war_types',
  'battle_kinds',
  'treaty_types',
  'resources',
  'units',
  'news_categories',
] as const
export type WordList = (typeof listNames)[number]

/** The words of the game: what players call a thing whose key the API gives. */
export interface Words {
  /** The game's word for a key; the key itself, made readable, where the game has none or cannot be asked. */
  label(list: WordList, key: string): Promise<string>
  ranks(): Promise<{ key: string; label: string }[]>
}

const freshMs = 10 * 60_000

/** `mutual_defense` as Mutual defense. */
export const readable = (key: string): string => {
  const words = key.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Words that are read once, and again when they are ten minutes old. */
export function wordsOf(api: Pick<Api, 'game'>, now: () => Date = () => new Date()): Words {
  let known: { words: Game; readAt: number } | undefined

  async function read(): Promise<Game | undefined> {
    const at = now().getTime()
    if (known && at - known.readAt < freshMs) return known.words
    try {
      known = { words: await api.game.get(), readAt: at }
    } catch {
      // Old words, or keys, still say it: the answer to the question decides what the user hears.
    }
    return known?.words
  }

  return {
    async label(list, key) {
      const words = await read()
      return words?.[list].find(word => word.key === key)?.label ?? readable(key)
    },
    ranks: async () => (await read())?.ranks ?? [],
  }
}
