import type { Profile } from './profile.ts'

interface Term {
  key: string
}

/** The key at an index of a list of the game profile, or the last one. Any text is valid where the list is empty. */
export const exampleKey = (words: readonly Term[], index: number): string =>
  words[Math.min(index, words.length - 1)]?.key ?? 'any_key'

/** The same for a nullable field: null if the list is empty. */
export const exampleKeyOrNull = (words: readonly Term[], index: number): string | null =>
  words.length > 0 ? exampleKey(words, index) : null

/** Counts by key: `[index in the list, count]`; indexes past the end are omitted. */
export const exampleCounts = (
  words: readonly Term[],
  ...counts: readonly (readonly [index: number, count: number])[]
): Record<string, number> =>
  Object.fromEntries(
    counts.flatMap(([index, count]) => {
      const word = words[index]
      return word ? [[word.key, count]] : []
    }),
  )

/** One entry of a list as `/game` returns it; none of an empty list. */
export const exampleEntries = <T extends Term>(words: readonly T[], index: number): T[] =>
  words.slice(Math.min(index, Math.max(0, words.length - 1))).slice(0, 1)

/** Lists whose keys a parameter accepts. */
export type ParameterList = {
  [K in keyof Profile]-?: Profile[K] extends readonly Term[] ? K : never
}[keyof Profile]

/** The example of a parameter that accepts such keys. */
export const exampleOfParameter = (profile: Profile, list: ParameterList, index: number): string =>
  exampleKey(profile[list], index)
