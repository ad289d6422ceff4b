import { open, resource } from '../classification.ts'
import { wordOrNull } from '../example-words.ts'
import type { Profile } from '../profile.ts'
import { id, line, listOf, name, nullable, text, time, wordOf } from '../shapes.ts'

export const newsItemResource = (profile: Profile) =>
  resource('news_item', 'An item of the game’s news.', {
    id: open(id(), { description: 'Identifier that the game chose.', example: 'news88' }),
    title: open(name(300), { description: 'Its headline.', example: 'Valdoria closes the straits' }),
    body: open(text(50_000), {
      description: 'Its text, in Markdown.',
      example: 'Merchants of **Karsk** turned back this morning.',
      default: '',
    }),
    category: open(nullable(wordOf(profile.news_categories)), {
      description: 'Key of the category, as in the game profile.',
      example: wordOrNull(profile.news_categories, 1),
    }),
    author: open(nullable(line(100)), { description: 'Who wrote it.', example: 'The Daily Courier' }),
    published_at: open(time(), { description: 'When it was published.', example: '2026-05-18T07:00:00Z' }),
    nation_ids: open(listOf(id(), { maxItems: 100 }), {
      description: 'Nations it is about.',
      example: ['n42', 'n9'],
      default: [],
    }),
    alliance_ids: open(listOf(id(), { maxItems: 100 }), {
      description: 'Alliances it is about.',
      example: ['a7'],
      default: [],
    }),
  })
