import type { Profile } from '../profile.ts'
import { decimal, shape } from '../shapes.ts'
import { profileKey } from '../text-origin.ts'
import { derivedKind } from './kind.ts'

export function marketKinds({ resources }: Profile) {
  const labelOf = (resource: string) =>
    resources.find(({ key }) => key === resource)?.label.toLowerCase() ?? resource
  return {
    'market.price_moved': derivedKind(
      'The price of a resource moved by 10 % or more within a day.',
      shape({
        resource: profileKey('Key of the resource, as in the game profile.'),
        currency: profileKey('Key of the currency.'),
        price: decimal({ description: 'The price now, in the currency, for one unit.' }),
        reference_price: decimal({
          description: 'The price it moved from: that of the last such event, or of at most a day before.',
        }),
        change_percent: decimal({
          minimum: -100,
          description: 'Change from the reference price, in percent; negative for a fall.',
        }),
      }),
      data =>
        `The price of ${labelOf(data.resource)} ${data.change_percent < 0 ? 'fell' : 'rose'} by ${Math.abs(data.change_percent)} % to ${data.price}.`,
    ),
  }
}
