import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeEnd, describeFailure } from '../../server/src/store/embedded/processes.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The published workspaces: the folder of their compiled code, the entry, and the files besides code. */
export const packages = {
  client: { folder: '.', entry: 'index', files: ['client/README.md'] },
  contract: {
    // It imports its package.json for the version, so the compiled code is next to a copy.
    folder: 'lib',
    entry: 'lib/src/index',
    files: [
      'contract/README.md',
      'contract/openapi.json',
      'contract/operator.openapi.json',
      'contract/facts.schema.json',
    ],
  },
} as const

export type PackageName = keyof typeof packages

/** The repository does not name its publisher. */
export interface Publisher {
  repository?: string | undefined
  author?: string | undefined
}

/**
 * Writes the published files of a workspace to `out`: JavaScript, declarations, the maps of both with their sources, and a
 * package.json. `npm pack` packs that folder.
 */
export function buildPackage(name: PackageName, out: string, publisher: Publisher = {}): void {
  const folder = join(root, name)
  const { entry, files, folder: compiledTo } = packages[name]
  const compiled = join(out, compiledTo)
  rmSync(out, { recursive: true, force: true })
  compile(folder, compiled, '--declaration', '--declarationMap', '--emitDeclarationOnly')
  // Editors show the comments of the declarations.
  compile(folder, compiled, '--sourceMap', '--removeComments', '--noCheck')
  cpSync(join(folder, 'src'), join(out, 'src'), {
    recursive: true,
    filter: path => !path.endsWith('generate.ts'),
  })
  for (const file of globSync('**/*.{js,d.ts,map}', { cwd: out }).sort())
    finish(join(out, file), { folder, out })

  const {
    exports: _,
    private: __,
    devDependencies: ___,
    ...manifest
  } = readJson(join(folder, 'package.json'))
  const { repository, author } = publisher
  const published = {
    ...manifest,
    ...(author !== undefined && { author }),
    ...(repository !== undefined && { repository: { type: 'git', url: repository, directory: name } }),
    sideEffects: false,
    exports: {
      '.': { types: `./${entry}.d.ts`, default: `./${entry}.js` },
      ...Object.fromEntries(
        files
          .filter(file => file.endsWith('.json'))
          .map(file => [`.${file.slice(name.length)}`, `.${file.slice(name.length)}`]),
      ),
    },
  }
  // The compiler copies the manifest that the sources import; only these two members are used.
  const inner = globSync('lib/package.json', { cwd: out })
  for (const file of inner) writeJson(join(out, file), { type: manifest.type, version: manifest.version })
  writeJson(join(out, 'package.json'), published)
  for (const file of [...files, 'LICENSE'])
    copyFileSync(join(root, file), join(out, file.split('/').at(-1) ?? file))
}

/** Builds all packages into folders below `out`, and returns their paths. */
export function buildPackages(out: string, publisher: Required<Publisher>): string[] {
  return Object.keys(packages).map(name => {
    if (!isPackage(name)) throw new Error(`${name} is not a package`)
    buildPackage(name, join(out, name), publisher)
    return join(out, name)
  })
}

const isPackage = (name: string): name is PackageName => Object.hasOwn(packages, name)

function compile(folder: string, out: string, ...flags: string[]): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const words = [
    tsc,
    '--project',
    join(folder, 'tsconfig.build.json'),
    '--outDir',
    out,
    '--skipLibCheck',
    ...flags,
  ]
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  if (status !== 0)
    throw new Error(
      `${folder} does not compile: ${describeFailure({ ended: describeEnd(status, signal), output: stdout + stderr })}`,
    )
}

/** Makes declarations import JavaScript and maps refer to the sources in the package, and deletes files without code. */
function finish(file: string, { folder, out }: { folder: string; out: string }): void {
  // The map of a deleted file.
  if (!existsSync(file)) return
  const text = readFileSync(file, 'utf8')
  if (file.endsWith('.d.ts')) {
    writeFileSync(file, text.replace(/((?:from |import\()['"]\.{1,2}\/[^'"]+)\.ts(?=['"])/g, '$1.js'))
  } else if (file.endsWith('.js') && /^\s*(export \{\};)?\s*(\/\/# .*)?\s*$/.test(text)) {
    rmSync(file)
    rmSync(`${file}.map`)
  } else if (file.endsWith('.map')) {
    const map = readJson(file)
    const sources = Array.isArray(map.sources) ? map.sources : []
    map.sources = sources.map(source => {
      const inPackage = join(out, relative(folder, resolve(dirname(file), String(source))))
      return relative(dirname(file), inPackage).replaceAll('\\', '/')
    })
    writeFileSync(file, JSON.stringify(map))
  }
}

function readJson(file: string): Record<string, unknown> {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (typeof value !== 'object' || value === null) throw new Error(`${file} is not an object`)
  return { ...value }
}

const writeJson = (file: string, value: object) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
