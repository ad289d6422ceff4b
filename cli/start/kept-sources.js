import { hash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'

const root = dirname(dirname(import.meta.dirname))
/** Beside the packages, where only who installs may write: not in a folder that all users of a machine share. */
const folder = join(root, 'node_modules', '.cache', 'chancery')

const placeOf = file => join(folder, `${relative(root, file)}.js`)
/** The last line of what is kept: of which source it was made. Every other line stays where its author wrote it. */
const markOf = source => `\n// ${hash('sha256', source)}`

/** A source without its types, as it was kept. Undefined where there is none, or one of another source. */
export function readKept(file) {
  try {
    const kept = readFileSync(placeOf(file), 'utf8')
    return kept.endsWith(markOf(readFileSync(file))) ? kept : undefined
  } catch {
    return undefined
  }
}

/** Keeps every source of the program without its types. Throws where it cannot be written. */
export function keepSources() {
  for (const file of globSync(join(root, '{cli,connect,contract,server,simulator}/src/**/*.ts'))) {
    const source = readFileSync(file, 'utf8')
    const place = placeOf(file)
    mkdirSync(dirname(place), { recursive: true })
    // Others may read it meanwhile.
    const written = `${place}.${process.pid}`
    writeFileSync(written, stripTypeScriptTypes(source) + markOf(source))
    renameSync(written, place)
  }
}
