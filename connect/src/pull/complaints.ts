import type { FactResource } from '@chancery/contract'
import { type HeldBack, heldBackText } from './known-view.ts'
import type { RoundPlan } from './plan.ts'

/** What is wrong with the views and does not keep the rest from being told: a sentence each. */
export function complaintsOf({ views, unreadable, strangers }: RoundPlan, schema: string): string[] {
  return [
    ...unreadable.map(({ name, reason }) => `${name} cannot be read, and waits: ${reason}`),
    ...views.flatMap(({ view: { name, keyless, doubled } }) => [
      ...(keyless > 0
        ? [
            `${name}: ${keyless === 1 ? '1 row has' : `${keyless} rows have`} no key, and ${keyless === 1 ? 'is' : 'are'} left out`,
          ]
        : []),
      ...(doubled.size > 0
        ? [
            `${name}: several rows have the same key, and are left out (a join may multiply them): ${someOf(doubled)}`,
          ]
        : []),
    ]),
    ...strangers.map(name => `${schema}.${name} is not read: no resource is called so`),
  ]
}

/** By the name of a view, what to say of deletions that are held back. */
export const heldBackTexts = (
  { views }: RoundPlan,
  { heldBack }: { heldBack: Map<FactResource, HeldBack> },
): Map<string, string> =>
  new Map(
    views.flatMap(({ view: { name, resource } }) => {
      const some = heldBack.get(resource)
      return some ? [[name, heldBackText(name, some)]] : []
    }),
  )

const someOf = (keys: Set<string>) => [...keys].slice(0, 5).join(', ') + (keys.size > 5 ? ', …' : '')
