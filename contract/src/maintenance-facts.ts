import Type, { type Static, type TObject } from 'typebox'
import { occurredAt } from './facts.ts'
import { id, listOf, name, strictObject, withLineRule } from './shared-schemas.ts'
import { type RedactableResource, redactableFields } from './text-origin.ts'

/** A `snapshot` of one resource: `{ "op": "snapshot", "resource": "treaty" }`, before the other facts of the batch about it. */
export const snapshotFact = (resourceNames: string[]) =>
  strictObject(
    {
      op: Type.Literal('snapshot'),
      resource: Type.Unsafe<string>({ type: 'string', enum: resourceNames }),
      except: Type.Optional(
        listOf(id(), {
          maxItems: 1000,
          description: 'Primary keys of rows that are kept although the batch does not contain them.',
        }),
      ),
      allow_deletes: Type.Optional(
        Type.Boolean({
          description:
            'true permits any number of deletions. Otherwise a batch that would delete more than a tenth of a resource is rejected.',
        }),
      ),
      at: occurredAt(),
    },
    {
      description:
        'Declares that the puts of this batch are the complete resource: all other rows are deleted.',
    },
  )

/** A `redact` of one row: `{ "op": "redact", "resource": "nation", "id": "n5", "data": { "motto": null } }`. */
export const redactFact = (resourceName: string, data: TObject) =>
  strictObject(
    {
      op: Type.Literal('redact'),
      resource: Type.Literal(resourceName),
      id: id({ description: 'The primary key of the row, which may be deleted.' }),
      data,
    },
    {
      description: `Replaces texts of one ${resourceName} everywhere, including wars, the event log and stored webhook deliveries. Event numbers do not change.`,
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
        description: 'Nations that the player led before, in addition to the present one.',
      }),
    ),
    name: Type.Optional(
      withLineRule(name(100, { description: 'The new name of these nations. Default: Erased nation.' })),
    ),
  },
  {
    description:
      'Erases a player: redacts the nation, and deletes its private data and the player’s keys, codes, sessions, webhooks and request log.',
  },
)

/** A `reset`: `{ "op": "reset", "ended": { "id": "e3" }, "next": { "id": "e4", "name": "Fourth era" } }`, first in its batch. */
export const resetFact = (ended: TObject, next: TObject) =>
  strictObject(
    { op: Type.Literal('reset'), ended, next: Type.Optional(next), at: occurredAt() },
    {
      description:
        'Ends an era: retires nations, alliances and the market, and keeps the history. Logged as one event. The end may be at most five minutes in the future.',
    },
  )

/** The data of a `redact`: at least one of the resource's redactable texts. */
export const redactionSchema = (resource: RedactableResource, supplied: TObject): TObject =>
  Type.Object(
    Object.fromEntries(
      redactableFields[resource].flatMap(field => {
        const schema = supplied.properties[field]
        return schema ? [[field, Type.Optional(schema)]] : []
      }),
    ),
    { additionalProperties: false, minProperties: 1, description: 'The replacements.' },
  )

export type EraseFact = Static<typeof eraseFact>
