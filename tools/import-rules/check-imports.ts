/** Checks the import rules. Exits 1 and prints each forbidden import and each file that was not read. */
import { fileURLToPath } from 'node:url'
import { cruiseTree, sourceFiles } from './cruise-tree.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { modules, violations } = await cruiseTree(root)
const missed = sourceFiles(root).filter(file => !modules.includes(file))

for (const { rule, from, to } of violations) console.error(`${rule}: ${from} → ${to}`)
for (const file of missed) console.error(`not read: ${file}`)
if (violations.length + missed.length > 0) process.exitCode = 1
else console.log(`${modules.length} modules read`)
