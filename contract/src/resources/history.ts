import { publicField, resource } from '../classification.ts'
import { exampleKey } from '../profile/examples.ts'
import { currencyOf, type Profile } from '../profile/profile.ts'
import {
  amount,
  count,
  date,
  enumOf,
  id,
  nullable,
  position,
  profileEnum,
  score,
  scoreSum,
  time,
} from '../shared-schemas.ts'

const dayOfPoint = () =>
  publicField(date(), {
    description: 'The day, in UTC. The point is the state of the last ranking round of that day.',
    example: '2026-05-26',
  })

export const nationHistoryPointResource = () =>
  resource('nation_history_point', 'A nation at the end of a day.', {
    date: dayOfPoint(),
    national_score: publicField(score(), {
      description: 'The score in that round.',
      unit: 'points',
      example: 1843.25,
    }),
    rank: publicField(position(), {
      description: 'Position by national_score in that round; equal scores share a rank.',
      example: 17,
    }),
    city_count: publicField(nullable(count()), {
      description: 'Number of cities.',
      unit: 'cities',
      example: 14,
    }),
    alliance_id: publicField(nullable(id()), {
      description: 'The nation’s alliance, which may have been disbanded since; null for none.',
      example: 'a7',
    }),
  })

export const allianceHistoryPointResource = () =>
  resource('alliance_history_point', 'An alliance at the end of a day.', {
    date: dayOfPoint(),
    total_score: publicField(scoreSum(), {
      description: 'The score in that round.',
      unit: 'points',
      example: 48210.5,
    }),
    rank: publicField(position(), {
      description: 'Position by total_score in that round; equal scores share a rank.',
      example: 3,
    }),
    member_count: publicField(count(), { description: 'Number of members.', unit: 'nations', example: 31 }),
  })

export const priceIntervals = ['hour', 'day'] as const

export function priceHistoryPointResource(profile: Profile) {
  const { price_decimals } = currencyOf(profile)
  const price = (description: string, example: number) =>
    publicField(amount(price_decimals), {
      description,
      unit: 'currency',
      example: Number(example.toFixed(price_decimals)),
    })
  return resource('price_history_point', 'The prices of one resource within an hour or a day.', {
    resource: publicField(profileEnum(profile.resources), {
      description: 'Key of the resource, as in the game profile.',
      example: exampleKey(profile.resources, 5),
    }),
    from: publicField(time(), {
      description: 'When the hour or day begins. A price belongs to it by its as_of.',
      example: '2026-05-27T18:00:00Z',
    }),
    interval: publicField(enumOf(priceIntervals), {
      description: 'The length: hour or day.',
      example: 'hour',
    }),
    open: price('The first price that the game sent.', 409.75),
    high: price('The highest of them.', 414),
    low: price('The lowest of them.', 409.5),
    close: price('The last of them.', 412.5),
    volume_24h: publicField(nullable(count()), {
      description:
        'Units traded in the 24 hours before the last price, as the game sent them with it. The game sends no single trades, so the volume of the hour or day itself is not known.',
      unit: 'units',
      example: 182000,
    }),
  })
}
