/** Bundles the command line and its packages into cli/dist. Run by `npm ci` and when the image is built. */
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OutputChunk, rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../', import.meta.url))
const outDir = join(root, 'cli/dist')

const inPackage = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/

/** Stack traces show lines of our own sources. Maps of packages would be three times as large. */
const withoutMapsOfPackages = {
  name: 'without-maps-of-packages',
  transform: {
    filter: { id: /node_modules/ },
    handler: (code: string) => ({ code, map: { mappings: '' } }),
  },
}

/** All chunks are in one directory, from which relative paths to files beside the sources are the same. */
async function build(): Promise<OutputChunk[]> {
  const bundle = await rolldown({
    cwd: root,
    input: { chancery: 'cli/src/main.ts' },
    platform: 'node',
    // An optional dependency of pg.
    external: ['pg-native'],
    plugins: [withoutMapsOfPackages],
    onLog(level, { message }) {
      if (level === 'warn') throw new Error(message)
    },
  })
  const { output } = await bundle.write({
    dir: outDir,
    cleanDir: true,
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    keepNames: true,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    sourcemap: true,
    sourcemapExcludeSources: true,
  })
  return output.filter(file => file.type === 'chunk')
}

/** The licences of all bundled packages. */
function licencesOf(modules: string[]): string {
  const packages = new Set(modules.flatMap(module => inPackage.exec(module)?.[1] ?? []))
  return [...packages]
    .sort()
    .map(folder => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const texts = readdirSync(folder)
        .filter(file => /^(licen[cs]e|notice|copying)/i.test(file))
        .map(file => readFileSync(join(folder, file), 'utf8').trim())
      return [`${name} ${version} (${license})`, ...texts].join('\n\n')
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`)
}

// Written last: without this file the bundle counts as outdated (cli/start/main.js).
const manifest = join(outDir, 'sources.json')
rmSync(manifest, { force: true })
const chunks = await build()
const modules = [...new Set(chunks.flatMap(chunk => chunk.moduleIds))].filter(id => existsSync(id))
writeFileSync(join(outDir, 'licences.txt'), `${licencesOf(modules)}\n`)
const sources = modules.filter(id => !inPackage.test(id)).concat(join(root, 'package-lock.json'))
const digests = sources
  .map(file => [relative(root, file).replaceAll('\\', '/'), hash('sha256', readFileSync(file))])
  .sort()
writeFileSync(manifest, JSON.stringify(Object.fromEntries(digests), null, 1))
console.log('bundled the command line')
