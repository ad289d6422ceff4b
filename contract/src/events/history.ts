import { currencyOf, type Profile } from '../profile/profile.ts'
import {
  amount,
  count,
  decimal,
  digitsOf,
  enumOf,
  id,
  listOf,
  name,
  nullable,
  strictObject,
  text,
} from '../shared-schemas.ts'
import { copyOf, profileKey, redactableResources, systemText, writtenText } from '../text-origin.ts'
import { allianceSubject, derivedKind } from './kind.ts'

const conflictReference = () =>
  strictObject(
    {
      conflict_id: id({ description: 'The global conflict.' }),
      name: copyOf('conflict.name', 'conflict_id', name(200, { description: 'Its name.' })),
    },
    { description: 'The global conflict.' },
  )
const eraReference = () =>
  strictObject(
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
    strictObject({
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
    strictObject({
      conflict: conflictReference(),
      alliance: allianceSubject(),
      side: writtenText(name(100, { description: 'Name of the side it joined.' })),
    }),
    data => `${data.alliance.name} joined ${data.conflict.name} on the side of ${data.side}.`,
  ),
  'conflict.ended': derivedKind(
    'A global conflict ended.',
    strictObject({ conflict: conflictReference() }),
    data => `${data.conflict.name} ended.`,
  ),
  'era.started': derivedKind(
    'An era of the game started.',
    strictObject({ era: eraReference() }),
    data => `${data.era.name} began.`,
  ),
  'era.ended': derivedKind(
    'An era of the game ended.',
    strictObject({
      era: eraReference(),
      champion: nullable(
        strictObject(
          {
            alliance_id: id({ description: 'The alliance.' }),
            name: copyOf('alliance.name', 'alliance_id', name(100, { description: 'Its name.' })),
          },
          { description: 'The alliance that won the era; null for none.' },
        ),
      ),
      reset: nullable(
        strictObject(
          {
            nations: count({ description: 'Nations that were retired with it.' }),
            alliances: count({ description: 'Alliances that were retired with it.' }),
          },
          {
            description:
              'What the reset at the end of the era retired; there are no further events about these. Null if the world was not reset.',
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
    'A news item was published.',
    strictObject({
      news_id: id({ description: 'The news item.' }),
      title: copyOf('news_item.title', 'news_id', name(300, { description: 'Its headline.' })),
      category: nullable(profileKey('Key of its category, as in the game profile.')),
    }),
    data => `News: ${data.title}`,
  ),
  'record.redacted': derivedKind(
    'Texts of a resource were replaced everywhere, including earlier events. Discard your copies and read it again.',
    strictObject({
      resource: enumOf(redactableResources, { description: 'The kind of resource.' }),
      id: id({ description: 'Its id.' }),
      fields: listOf(systemText(text(64)), { description: 'Names of the fields that were replaced.' }),
    }),
    data => `Texts of the ${data.resource.replace('_', ' ')} ${data.id} were replaced.`,
  ),
})

export function marketKinds(profile: Profile) {
  const { resources } = profile
  const { price_decimals } = currencyOf(profile)
  const labelOf = (resource: string) =>
    resources.find(({ key }) => key === resource)?.label.toLowerCase() ?? resource
  return {
    'market.price_moved': derivedKind(
      'The price of a resource moved by 10 % or more within a day.',
      strictObject({
        resource: profileKey('Key of the resource, as in the game profile.'),
        currency: profileKey('Key of the currency.'),
        price: amount(price_decimals, { description: 'The price now, in the currency, for one unit.' }),
        reference_price: amount(price_decimals, {
          description: 'The previous price: that of the last such event, or of at most a day before.',
        }),
        change_percent: decimal({
          minimum: -100,
          description:
            'Change from the reference price, in percent; negative for a fall. At most 10^15, however large the rise.',
        }),
      }),
      data =>
        `The price of ${labelOf(data.resource)} ${data.change_percent < 0 ? 'fell' : 'rose'} by ${digitsOf(Math.abs(data.change_percent))} % to ${digitsOf(data.price)}.`,
    ),
  }
}
