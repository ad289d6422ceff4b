/** Writes contract/examples.json: the response of each operation in a small world of the demo game. */
import { writeFile } from 'node:fs/promises'
import { examplesFile, recordExamples } from './examples/record.ts'

await writeFile(examplesFile, await recordExamples())
