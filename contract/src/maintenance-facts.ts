import Type, { type Static, type TObject } from 'typebox'
import { occurredAt } from './facts.ts'
import { id, listOf, name, strictObject, withLineRule } from './shared-schemas.ts'
import { type RedactableResource, redactableFields } from './text-origin.ts'

/** A `snapshot` of one resource: `{ "op": "snapshot", "resource": "treaty" }` before all that the batch says of it. */
export const snapshotFact = (resourceNames: string[]) =>
  strictObject(
    {
      op: Type.Literal('snapshot'),
      resource: Type.Unsafe<string>({ type: 'string', enum: resourceNames }),
      except: Type.Optional(
        listOf(id(), {
          maxItems: 1000,
          description: 'Keys of things that stay as they are, though the batch says nothing of them.',
        }),
      ),
      allow_deletes: Type.Optional(
        Type.Boolean({
          description:
            'true lets any number of things go. Else a batch is refused that would delete more than a tenth of a resource.',
        }),
      ),
      at: occurredAt(),
    },
    {
      description:
        'Says that the puts of this batch are all there is of a resource: what they leave out is deleted.',
    },
  )

/** A `redact` of one thing: `{ "op": "redact", "resource": "nation", "id": "n5", "data": { "motto": null } }`. */
export const redactFact = (resourceName: string, data: TObject) =>
  strictObject(
    {
      op: Type.Literal('redact'),
      resource: Type.Literal(resourceName),
      id: id({ description: 'The key of the thing; it may be deleted.' }),
      data,
    },
    {
      description: `Replaces texts of one ${resourceName} everywhere: also in wars, in the log of events and in what was delivered. The log keeps its numbers.`,
    },
  )

/** An `erase` of a player: `{ "op": "erase", "player": "p7" }`. */
export const eraseFact = strictObject(
  {
    op: Type.Literal('erase'),
    player: id({ description: 'The game’s id of the player.' }),
    nations: Type.Optional(
      listOf(id(), {
        maxItems: 100,
        description: 'Nations that the player led before, besides the one that is the player’s now.',
      }),
    ),
    name: Type.Optional(
      withLineRule(
        name(100, { description: 'What the nations are called from then on. Default: Erased nation.' }),
      ),
    ),
  },
  {
    description:
      'Forgets a player: redacts the nation, and removes its secrets and the player’s keys, codes, sessions, webhooks and journal.',
  },
)

/** A `reset`: `{ "op": "reset", "ended": { "id": "e3" }, "next": { "id": "e4", "name": "Fourth era" } }`, first in its batch. */
export const resetFact = (ended: TObject, next: TObject) =>
  strictObject(
    { op: Type.Literal('reset'), ended, next: Type.Optional(next), at: occurredAt() },
    {
      description:
        'Ends an era: retires nations, alliances and the market, and keeps the history. One event tells of it. Its end lies at most five minutes ahead.',
    },
  )

/** The part of what the game may say of a thing that a redaction takes: at least one of its texts. */
export const redactionSchema = (resource: RedactableResource, supplied: TObject): TObject =>
  Type.Object(
    Object.fromEntries(
      redactableFields[resource].flatMap(field => {
        const schema = supplied.properties[field]
        return schema ? [[field, Type.Optional(schema)]] : []
      }),
    ),
    { additionalProperties: false, minProperties: 1, description: 'What stands there instead.' },
  )

export type EraseFact = Static<typeof eraseFact>
