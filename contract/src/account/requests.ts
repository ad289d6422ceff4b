import Type, { type Static } from 'typebox'
import { limits } from '../limits.ts'
import { scopeNames } from '../scopes.ts'
import { enumOf, id, name, strictObject, text, time } from '../shared-schemas.ts'
import { webhooks } from '../webhooks.ts'

/**
 * What the developer settings page sends to its own API under `/developers/api`. That API belongs to the page and changes with
 * it: it is not part of what bots may rely on.
 */

/** Where a hand-over link may lead. */
export const landings = ['verify', 'keys', 'webhooks'] as const
export type Landing = (typeof landings)[number]

/** Signs in with the token of a hand-over link; asked before as a preview, which does not use it up. */
export const handoverToken = strictObject({ token: text(200) })

/** Signs in as a player of the demo. */
export const demoSignIn = strictObject({ player_id: id() })

/** A new verification code. `for`: the chat account that alone may redeem it. */
export const newCode = strictObject({ for: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) })

export const newKey = strictObject({
  name: name(100),
  scopes: Type.Array(enumOf(scopeNames), { minItems: 1, maxItems: scopeNames.length, uniqueItems: true }),
  /** Null for never. */
  expires_at: Type.Union([time(), Type.Null()]),
})

/** How long the old key goes on working beside the new one. */
export const keyRotation = strictObject({
  overlap_hours: Type.Integer({ minimum: 0, maximum: limits.keyOverlapHoursMax }),
})

/** Asks the operator for a higher limit. */
export const limitRequest = strictObject({
  calls_per_minute: Type.Integer({ minimum: limits.keyCalls + 1, maximum: 1_000_000 }),
  sentence: Type.String({ minLength: 10, maxLength: 500 }),
})

const idsOrAll = () =>
  Type.Union([Type.Array(id(), { minItems: 1, maxItems: limits.idsMax, uniqueItems: true }), Type.Null()])

/** An endpoint as its owner writes it; null for all. */
export const endpointDraft = strictObject({
  url: Type.String({ minLength: 1, maxLength: webhooks.urlLengthMax }),
  description: text(webhooks.descriptionLengthMax),
  types: Type.Union([
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: limits.idsMax,
      uniqueItems: true,
    }),
    Type.Null(),
  ]),
  nation_ids: idsOrAll(),
  alliance_ids: idsOrAll(),
})

/** What to send once more: one delivery, all that failed, or what was logged in a span (`until` exclusive). */
export const replayRequest = Type.Union([
  strictObject({ delivery: text(64) }),
  strictObject({ failed: Type.Literal(true) }),
  strictObject({ since: time(), until: time() }),
])

export type HandoverToken = Static<typeof handoverToken>
export type DemoSignIn = Static<typeof demoSignIn>
export type NewCode = Static<typeof newCode>
export type NewAccountKey = Static<typeof newKey>
export type KeyRotation = Static<typeof keyRotation>
export type LimitRequest = Static<typeof limitRequest>
export type EndpointDraft = Static<typeof endpointDraft>
export type ReplayRequest = Static<typeof replayRequest>
