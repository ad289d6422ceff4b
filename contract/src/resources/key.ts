import { open, resource } from '../classification.ts'
import { scopeNames } from '../scopes.ts'
import { count, id, listOf, name, nullable, oneOf, shape, text, time } from '../shapes.ts'

/** What a key may know about itself. Every field is for the key's own bearer; `public` here says that no further scope is needed. */
export const keyResource = () =>
  resource('key', 'The API key of this call.', {
    id: open(text(64), { description: 'Identifier of the key. It is no secret.', example: 'key_8Zc3fW0aQ1' }),
    name: open(text(100), { description: 'The name its owner gave it.', example: 'war-room bot' }),
    nation: open(
      nullable(
        shape({
          id: id({ description: 'The nation.' }),
          nation_name: name(100, { description: 'Its name.' }),
        }),
      ),
      {
        description: 'The nation of the key’s player at present; null for none.',
        example: { id: 'n42', nation_name: 'Valdoria' },
      },
    ),
    scopes: open(listOf(oneOf(scopeNames)), {
      description: 'What the key may read.',
      example: ['nation.read', 'military.read'],
    }),
    limit: open(count(), {
      description: 'Calls that the key may make in one window of 60 seconds.',
      unit: 'calls',
      example: 120,
    }),
    remaining: open(count(), {
      description: 'Calls left in this window, after this one.',
      unit: 'calls',
      example: 119,
    }),
    created_at: open(time(), { description: 'When it was made.', example: '2026-05-01T12:00:00Z' }),
    expires_at: open(nullable(time()), {
      description: 'When it stops working; null for never.',
      example: null,
    }),
    last_used_at: open(nullable(time()), {
      description: 'When it was last used, to within a minute; null before its first use was noted.',
      example: '2026-05-27T18:03:00Z',
    }),
  })
