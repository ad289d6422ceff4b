/** Builds the files of a published package: JavaScript, declarations, the maps of both, and their sources. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isolatedDeclarationSync } from 'rolldown/experimental'
import { minifySync, transformSync } from 'rolldown/utils'

/** A file of a package; the name is relative to its root. */
export interface PackageFile {
  name: string
  content: string
}

/** Builds @chancery/client. `publisher`: members of package.json that name who publishes it. */
export const buildClient = (publisher: object = {}): PackageFile[] =>
  buildFiles(new URL('./', import.meta.url), publisher)

/** Builds the package of a workspace that imports nothing else. */
export function buildFiles(folder: URL, publisher: object): PackageFile[] {
  const read = (file: string) => readFileSync(new URL(file, folder), 'utf8')
  const { exports: _, private: __, devDependencies: ___, ...manifest } = JSON.parse(read('package.json'))
  const published = {
    ...manifest,
    ...publisher,
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  }
  const sources = globSync('src/**/*.ts', { cwd: fileURLToPath(folder) }).sort()
  return [
    { name: 'package.json', content: `${JSON.stringify(published, null, 2)}\n` },
    { name: 'README.md', content: read('README.md') },
    { name: 'LICENSE', content: read('../LICENSE') },
    ...sources.map(file => file.replaceAll('\\', '/')).flatMap(file => compile(file, read(file))),
  ]
}

function compile(source: string, text: string): PackageFile[] {
  const name = source.slice('src/'.length, -'.ts'.length)
  const typed = transformSync(source, text, {
    sourcemap: true,
    typescript: { rewriteImportExtensions: 'rewrite' },
  })
  // Without comments: editors show those of the declarations.
  const script = minifySync(source, typed.code, {
    compress: false,
    mangle: false,
    codegen: { removeWhitespace: false },
    sourcemap: true,
    ...(typed.map && { inputMap: typed.map }),
  })
  const declaration = isolatedDeclarationSync(source, text, { sourcemap: true })
  const errors = [...typed.errors, ...script.errors, ...declaration.errors]
  if (errors.length > 0) throw new Error(`${source} does not compile: ${errors.map(String).join('\n')}`)
  const withMap = (file: string, code: string, map: object | undefined): PackageFile[] => [
    { name: file, content: `${code}//# sourceMappingURL=${file}.map\n` },
    {
      name: `${file}.map`,
      content: JSON.stringify({ ...map, sources: [source], sourcesContent: undefined }),
    },
  ]
  // A file of types alone has no script.
  const isScript = script.code.replace(/export \{\};?/, '').trim() !== ''
  return [
    { name: source, content: text },
    ...(isScript ? withMap(`${name}.js`, script.code, script.map) : []),
    ...withMap(`${name}.d.ts`, rewriteImports(declaration.code), declaration.map),
  ]
}

/** Declarations import JavaScript, as TypeScript expects of a package. */
const rewriteImports = (code: string): string =>
  code.replaceAll(/((?:from |import\()"\.{1,2}\/[^"]+)\.ts(?=")/g, '$1.js')
