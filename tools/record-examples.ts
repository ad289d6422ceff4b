/** Writes contract/examples.json: what a server answers each operation, from a small world of the demo game. */
import { writeFile } from 'node:fs/promises'
import { examplesFile, recordExamples } from './examples/record.ts'

await writeFile(examplesFile, await recordExamples())
