/**
 * Writes `dist/`, or the folder given: what is published, as JavaScript and declarations, with a package.json of its own.
 * `npm pack ./client/dist` packs it.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const client = import.meta.dirname
const root = join(client, '..')
const dist = resolve(process.argv[2] ?? join(client, 'dist'))

function compile(...flags: string[]): void {
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/typescript/bin/tsc'),
      '--project',
      'tsconfig.build.json',
      '--outDir',
      dist,
      ...flags,
    ],
    { cwd: client, stdio: 'inherit' },
  )
  if (status !== 0) throw new Error('the client does not compile')
}

rmSync(dist, { recursive: true, force: true })
compile('--declaration', '--emitDeclarationOnly')
// What an editor shows stands in the declarations: the code that runs goes without.
compile('--removeComments')
for (const file of readdirSync(dist)) {
  const path = join(dist, file)
  const text = readFileSync(path, 'utf8')
  // A file of types is nothing when it runs.
  if (file.endsWith('.js') && /^\s*(export \{\};)?\s*$/.test(text)) rmSync(path)
  if (file.endsWith('.d.ts')) writeFileSync(path, text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
}

const { name, version, description, keywords, license, type, engines } = JSON.parse(
  readFileSync(join(client, 'package.json'), 'utf8'),
)
const published = {
  ...{ name, version, description, keywords, license, type, engines },
  sideEffects: false,
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
}
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
copyFileSync(join(client, 'README.md'), join(dist, 'README.md'))
copyFileSync(join(root, 'LICENSE'), join(dist, 'LICENSE'))
