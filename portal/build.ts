/** Builds the developer settings page into portal/dist, unless it is up to date. Run by `npm ci` and `npm start`. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('../', import.meta.url))
const stamp = join(root, 'portal/dist/.sources')

const sources = ['portal/build.ts', 'portal/index.html', 'portal/vite.config.ts', 'package-lock.json'].concat(
  globSync('{portal,contract}/src/**/*', { cwd: root, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length))
    .sort(),
)
const hash = createHash('sha256')
for (const file of sources) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
const digest = hash.digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  const { build } = await import('vite')
  await build({
    root: join(root, 'portal'),
    configFile: join(root, 'portal/vite.config.ts'),
    logLevel: 'warn',
  })
  // Compressed copies, which the server sends as they are.
  for (const file of globSync('portal/dist/**/*.{html,js,css,json,svg,txt}', { cwd: root })) {
    const bytes = readFileSync(join(root, file))
    writeFileSync(join(root, `${file}.br`), brotliCompressSync(bytes))
    writeFileSync(join(root, `${file}.gz`), gzipSync(bytes, { level: 9 }))
  }
  writeFileSync(stamp, digest)
  console.log('built the developer settings page')
}
