import { InvalidArgumentError } from 'commander'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { sendBatch } from '../operator-client/send-facts.ts'

type Fields = Record<string, unknown>

export function addRedact(program: ChanceryCommand) {
  program
    .command('redact')
    .description('redact texts of an item everywhere, also in wars, in the event log and in deliveries')
    .argument('<resource>', 'nation, alliance, war, conflict, era or news_item')
    .argument('<id>', 'id of the item, which may be deleted')
    .requiredOption('--set <field=text>', 'the new text, null for none; may be repeated', field)
    .prints(redact)
    .details(`
Attributes are named attributes.KEY; the new texts of a list are a JSON list. Change the row in the game first: otherwise its next fact restores the old text.

Examples:
  chancery redact nation n5 --set nation_name="Former nation" --set motto=null
  chancery redact alliance a7 --set name="Former alliance" --set tag=FA
  chancery redact nation n5 --set attributes.creed=null --json
  chancery redact nation n5 --set 'attributes.languages=["Borean"]'`)
}

interface RedactOptions {
  set: Fields
}

/** Collects repeated `field=text` options. */
function field(text: string, given: Fields = {}): Fields {
  const [, name, key, value] = /^([a-z_]+)(?:\.([a-z_0-9]+))?=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a field and its text, such as motto="Another", or motto=null.')
  const set = value === 'null' ? null : key === undefined ? value : (listIn(value) ?? value)
  if (key === undefined) return { ...given, [name]: set }
  return { ...given, [name]: { ...(given[name] as Fields | undefined), [key]: set } }
}

/** The texts of a JSON list; undefined for other text. */
function listIn(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}

async function redact(
  { client }: Context,
  resource: string,
  id: string,
  { set }: RedactOptions,
): Promise<Result> {
  const outcome = await sendBatch(await client(), 'redact', [{ op: 'redact', resource, id, data: set }])
  const fields = Object.keys(set).join(', ')
  const text = `${resource} ${id}: ${fields} replaced in all data of Chancery (batch ${outcome.batch})\nBots and webhook receivers delete their own copies when they receive the event record.redacted.`
  return [outcome, text]
}
