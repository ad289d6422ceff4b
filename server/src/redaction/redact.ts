import { fieldNames, isFreeText, type RedactableResource, type TextSchema } from '@chancery/contract'
import type { Batch, Change, Redaction } from '../ingest/batch.ts'
import { factTable } from '../ingest/entity-store.ts'
import { appliers } from '../resources/appliers.ts'
import { raw, sql } from '../store/database.ts'
import type { Replacement } from './denormalized-copies.ts'
import { PreviousValues } from './previous-values.ts'
import { affectedEvents } from './rewrites.ts'

/** A redaction whose entity has its new texts. Copies are replaced when the batch's own events are in the log. */
export interface StartedRedaction {
  replacement: Replacement
  previous: PreviousValues
  /** Keys of the replaced text attributes. Events have no copies of them; texts that people wrote may. */
  attributes: string[]
}

/** Replaces the texts of the entity, if it still exists, and emits `record.redacted`. Undefined if it does not exist and never did. */
export async function startRedaction(
  batch: Batch,
  { line, resource, key, data }: Redaction,
): Promise<StartedRedaction | undefined> {
  const { table, key: column } = factTable(resource)
  const row = await batch.db.first<Record<string, unknown>>(
    sql`select * from ${raw(table)} where ${raw(column)} = ${key}`,
  )
  if (!row && !(await hasBeen(batch, resource, key))) return undefined

  const { attributes = {}, ...texts } = data
  const previous = new PreviousValues(key)
  for (const [field, text] of Object.entries(texts)) previous.add(row?.[field], text)
  // Events are public: a private text must not change them.
  const replaced = publicTextAttributes(batch.contract.resources[resource].fields).filter(
    attribute => attribute in (attributes as object),
  )
  const known = (row?.attributes ?? {}) as Record<string, unknown>
  for (const attribute of replaced)
    addReplaced(previous, known[attribute], (attributes as Record<string, unknown>)[attribute])
  if (row) {
    const change: Change = { line, op: 'put', key, data: { ...data, [column]: key }, at: undefined }
    // Events of this change would contain the previous texts.
    await appliers[resource].apply({ ...batch, emit: () => undefined }, [change])
  }
  emitRedacted(batch, { line, resource, key, data })
  return { replacement: { resource, key, texts }, previous, attributes: replaced }
}

/** Adds the texts of an attribute that are replaced or left out; in a list, the replacement is the new text at the same place. */
function addReplaced(previous: PreviousValues, before: unknown, after: unknown): void {
  const [known, texts] = [[before].flat(), [after].flat()]
  for (const [index, text] of known.entries()) {
    if (!texts.includes(text)) previous.addWord(text, known.includes(texts[index]) ? null : texts[index])
  }
}

async function hasBeen({ db, contract }: Batch, resource: RedactableResource, key: string): Promise<boolean> {
  const buried = await db.first(
    sql`select from chancery_world.tombstone where resource = ${resource} and id = ${key}`,
  )
  return buried !== undefined || (await affectedEvents(db, contract, { resource, key })).length > 0
}

/** Notifies clients that their copies are outdated: of public fields only, they have no copies of others. */
function emitRedacted(batch: Batch, { line, resource, key, data }: Redaction): void {
  const fields = publicFields(batch, resource, data)
  if (fields.length === 0) return
  batch.markWorldChanged()
  batch.emit(
    'record.redacted',
    {
      line,
      at: undefined,
      nations: resource === 'nation' ? [key] : [],
      alliances: resource === 'alliance' ? [key] : [],
      war: resource === 'war' ? key : null,
      conflict: resource === 'conflict' ? key : null,
    },
    { resource, id: key, fields },
  )
}

function publicFields(
  { contract }: Batch,
  resource: RedactableResource,
  data: Record<string, unknown>,
): string[] {
  const own = contract.resources[resource]
  const known = new Set(fieldNames(own, field => field['x-class'] === 'public'))
  return Object.keys(data).filter(name => {
    if (name !== 'attributes') return known.has(name)
    return Object.keys(data.attributes as object).some(key => isPublicAttribute(own.fields, key))
  })
}

interface AttributeFields {
  attributes?: {
    properties?: Record<string, TextSchema & { 'x-class'?: string }>
  }
}

/** An attribute has a class of its own. */
function isPublicAttribute(fields: object, key: string): boolean {
  const { attributes } = fields as AttributeFields
  return attributes?.properties?.[key]?.['x-class'] === 'public'
}

/** Keys of the public attributes that are texts or lists of texts. */
export function publicTextAttributes(fields: object): string[] {
  const { attributes } = fields as AttributeFields
  return Object.entries(attributes?.properties ?? {})
    .filter(([key, schema]) => isPublicAttribute(fields, key) && isFreeText(schema.items ?? schema))
    .map(([key]) => key)
}
