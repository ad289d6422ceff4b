import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { findDoor } from '../door/environment.ts'
import { sendBatch } from '../door/one-batch.ts'
import { openDoor } from '../door/operator-door.ts'
import { print, type Terminal } from '../terminal.ts'

type Fields = Record<string, unknown>

export function addRedact(program: Command, terminal: Terminal) {
  program
    .command('redact')
    .description('replace texts of a thing everywhere, also in wars, in the log and in what was delivered')
    .argument('<resource>', 'nation, alliance, war, conflict, era or news_item')
    .argument('<id>', 'of the thing, which may be deleted')
    .requiredOption(
      '--set <field=text>',
      'what stands there instead; null for nothing; repeat it for more',
      field,
    )
    .option('--json', 'print one JSON document', false)
    .action((resource: string, id: string, options: RedactOptions) =>
      redact({ resource, id }, options, terminal),
    )
    .addHelpText(
      'after',
      `
A text of an attribute is named as attributes.KEY. Change the game's own row first: what is told from it next would bring the old text back.

Examples:
  chancery redact nation n5 --set nation_name="Former nation" --set motto=null
  chancery redact alliance a7 --set name="Former alliance" --set tag=FA
  chancery redact nation n5 --set attributes.creed=null --json`,
    )
}

interface RedactOptions {
  set: Fields
  json: boolean
}

/** Adds `field=text` to what was given before. */
function field(text: string, given: Fields = {}): Fields {
  const [, name, key, value] = /^([a-z_]+)(?:\.([a-z_0-9]+))?=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a field and its text, such as motto="Another", or motto=null.')
  const set = value === 'null' ? null : value
  if (key === undefined) return { ...given, [name]: set }
  return { ...given, [name]: { ...(given[name] as Fields | undefined), [key]: set } }
}

async function redact(
  { resource, id }: { resource: string; id: string },
  { set, json }: RedactOptions,
  terminal: Terminal,
) {
  const door = openDoor(await findDoor(terminal.env))
  const outcome = await sendBatch(door, 'redact', [{ op: 'redact', resource, id, data: set }])
  const fields = Object.keys(set).join(', ')
  const text = `${resource} ${id}: ${fields} replaced everywhere that Chancery reaches (batch ${outcome.batch})\nWhat bots and receivers already have is theirs to drop: record.redacted tells them.`
  print(terminal, json, outcome, text)
}
