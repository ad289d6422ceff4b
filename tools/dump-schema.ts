/** Writes server/src/store/schema.sql from the catalogs of a fresh database. With --check: exits 1 if it differs. */
import { readFile, writeFile } from 'node:fs/promises'
import { freshSchema, schemaFile } from './schema/fresh-schema.ts'

const schema = await freshSchema()
if (!process.argv.includes('--check')) {
  await writeFile(schemaFile, schema)
} else if ((await readFile(schemaFile, 'utf8').catch(() => '')) !== schema) {
  console.error('server/src/store/schema.sql differs from what the migrations make: run npm run schema')
  process.exitCode = 1
}
