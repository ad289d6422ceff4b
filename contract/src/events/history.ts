import { redactableResources } from '../redactable.ts'
import { count, id, listOf, name, nullable, oneOf, shape, text } from '../shapes.ts'
import { copyOf, ownText, profileKey, writtenText } from '../text-origin.ts'
import { derivedKind } from './kind.ts'
import { theAlliance } from './subjects.ts'

const conflictReference = () =>
  shape(
    {
      conflict_id: id({ description: 'The global conflict.' }),
      name: copyOf('conflict.name', 'conflict_id', name(200, { description: 'Its name.' })),
    },
    { description: 'The global conflict.' },
  )
const eraReference = () =>
  shape(
    {
      era_id: id({ description: 'The era.' }),
      name: copyOf('era.name', 'era_id', name(200, { description: 'Its name.' })),
    },
    { description: 'The era.' },
  )

/** Conflicts, eras and news. */
export const historyKinds = () => ({
  'conflict.started': derivedKind(
    'A global conflict started.',
    shape({
      conflict: conflictReference(),
      cause: copyOf(
        'conflict.cause',
        'conflict.conflict_id',
        nullable(text(1000, { description: 'What started it.' })),
      ),
    }),
    data => `${data.conflict.name} started.`,
  ),
  'conflict.joined': derivedKind(
    'An alliance joined a side of a global conflict.',
    shape({
      conflict: conflictReference(),
      alliance: theAlliance(),
      side: writtenText(name(100, { description: 'Name of the side it joined.' })),
    }),
    data => `${data.alliance.name} joined ${data.conflict.name} on the side of ${data.side}.`,
  ),
  'conflict.ended': derivedKind(
    'A global conflict ended.',
    shape({ conflict: conflictReference() }),
    data => `${data.conflict.name} ended.`,
  ),
  'era.started': derivedKind(
    'An era of the game started.',
    shape({ era: eraReference() }),
    data => `${data.era.name} began.`,
  ),
  'era.ended': derivedKind(
    'An era of the game ended.',
    shape({
      era: eraReference(),
      champion: nullable(
        shape(
          {
            alliance_id: id({ description: 'The alliance.' }),
            name: copyOf('alliance.name', 'alliance_id', name(100, { description: 'Its name.' })),
          },
          { description: 'The alliance that won the era; null for none.' },
        ),
      ),
      reset: nullable(
        shape(
          {
            nations: count({ description: 'Nations that were retired with it.' }),
            alliances: count({ description: 'Alliances that were retired with it.' }),
          },
          {
            description:
              'What ended with the era where the world began anew; those are told of by this event alone. Null where the world went on.',
          },
        ),
      ),
    }),
    data =>
      data.champion
        ? `${data.era.name} ended; its champion is ${data.champion.name}.`
        : `${data.era.name} ended.`,
  ),
  'news.published': derivedKind(
    'An item of news was published.',
    shape({
      news_id: id({ description: 'The item of news.' }),
      title: copyOf('news_item.title', 'news_id', name(300, { description: 'Its headline.' })),
      category: nullable(profileKey('Key of its category, as in the game profile.')),
    }),
    data => `News: ${data.title}`,
  ),
  'record.redacted': derivedKind(
    'Texts of a thing were replaced everywhere, also in earlier events. Drop what you kept of it, and read it anew.',
    shape({
      resource: oneOf(redactableResources, { description: 'What kind of thing it is.' }),
      id: id({ description: 'The thing.' }),
      fields: listOf(ownText(text(64)), { description: 'Names of the fields that were replaced.' }),
    }),
    data => `Texts of the ${data.resource.replace('_', ' ')} ${data.id} were replaced.`,
  ),
})
