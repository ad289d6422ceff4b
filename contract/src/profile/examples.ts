import type { Profile } from './profile.ts'

interface Word {
  key: string
}

/** The word at a place of a list, or its last one. Examples are in the game's own words; where a list has none, any word will do. */
export const exampleKey = (words: readonly Word[], index: number): string =>
  words[Math.min(index, words.length - 1)]?.key ?? 'any_word'

/** The same of a field that may be null, which it is where the game has no word. */
export const exampleKeyOrNull = (words: readonly Word[], index: number): string | null =>
  words.length > 0 ? exampleKey(words, index) : null

/** Counts by word: `[place in the list, count]`; places beyond its end are left out. */
export const exampleCounts = (
  words: readonly Word[],
  ...counts: readonly (readonly [index: number, count: number])[]
): Record<string, number> =>
  Object.fromEntries(
    counts.flatMap(([index, count]) => {
      const word = words[index]
      return word ? [[word.key, count]] : []
    }),
  )

/** One word of a list as `/game` shows it; none of an empty list. */
export const exampleEntries = <W extends Word>(words: readonly W[], index: number): W[] =>
  words.slice(Math.min(index, Math.max(0, words.length - 1))).slice(0, 1)

/** Lists whose words a parameter takes. */
export type ParameterList = 'resources' | 'news_categories'

/** The example of a parameter that takes such words. */
export const exampleOfParameter = (profile: Profile, list: ParameterList, index: number): string =>
  exampleKey(profile[list], index)
