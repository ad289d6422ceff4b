import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CsvError, parse } from 'csv-parse/sync'

/** An error in the tables and its place, in one line: `battle_dyads.csv:12: …`. */
export class DataError extends Error {
  override name = 'DataError'
}

/** A row of a table with the columns `C`. Row 1 is the header. */
export interface Row<C extends string> {
  cell(column: C): string
  /** An error at this row. */
  error(problem: string): DataError
}

export type Encoding = 'utf-8' | 'latin-1'

/** Reads the rows of `file`. Throws a DataError if it cannot be read, is not CSV, or lacks one of `columns`. */
export function readTable<const C extends string>(
  directory: string,
  file: string,
  columns: readonly C[],
  encoding: Encoding = 'utf-8',
): Row<C>[] {
  const path = join(directory, file)
  const [header = [], ...records] = parseCsv(path, readText(path, encoding))
  const positions = new Map(header.map((column, index) => [column, index]))
  const missing = columns.find(column => !positions.has(column))
  if (missing !== undefined) throw new DataError(`${path}:1: no column ${missing}`)

  return records.map((record, index) => ({
    cell: column => record[positions.get(column) ?? -1]?.trim() ?? '',
    error: problem => new DataError(`${path}:${index + 2}: ${problem}`),
  }))
}

function readText(path: string, encoding: Encoding): string {
  const bytes = readBytes(path)
  if (encoding === 'latin-1') return bytes.toString('latin1')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new DataError(`${path}: not UTF-8`)
  }
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (err) {
    const code = err instanceof Error && 'code' in err ? err.code : err
    throw new DataError(code === 'ENOENT' ? `${path}: no such file` : `${path}: cannot be read (${code})`)
  }
}

function parseCsv(path: string, text: string): string[][] {
  try {
    return parse(text, { bom: true })
  } catch (err) {
    if (!(err instanceof CsvError)) throw err
    throw new DataError(`${path}:${err.lines}: ${err.message.replaceAll(/\s+/g, ' ')}`)
  }
}
