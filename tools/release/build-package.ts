import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildClient, type PackageFile } from '../../client/build.ts'
import { buildGame } from '../../game/build.ts'
import { describeEnd, describeFailure } from '../../server/src/store/embedded/processes.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** What builds each published workspace into a folder. */
const builders = { client: writer(buildClient), contract: compileContract, game: writer(buildGame) }

export type PackageName = keyof typeof builders

/** The repository does not name its publisher. */
export interface Publisher {
  repository?: string | undefined
  author?: string | undefined
}

/**
 * Writes the published files of a workspace to `out`: JavaScript, declarations, the maps of both with their sources, and a
 * package.json. `npm pack` packs that folder.
 */
export function buildPackage(name: PackageName, out: string, { repository, author }: Publisher = {}): void {
  rmSync(out, { recursive: true, force: true })
  builders[name](out, {
    ...(author !== undefined && { author }),
    ...(repository !== undefined && { repository: { type: 'git', url: repository, directory: name } }),
  })
}

function writer(build: (publisher: object) => PackageFile[]) {
  return (out: string, publisher: object): void => {
    for (const { name, content } of build(publisher)) {
      const file = join(out, name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    }
  }
}

/** Documents of the contract that the package exports. */
const documents = ['openapi.json', 'operator.openapi.json', 'facts.schema.json']

/** Its types are inferred, so that only the TypeScript compiler can write its declarations. */
function compileContract(out: string, publisher: object): void {
  const folder = join(root, 'contract')
  // It imports its package.json for the version, so the compiled code is next to a copy.
  const compiled = join(out, 'lib')
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
  // The compiler copies the manifest that the sources import; only these two members are used.
  writeJson(join(compiled, 'package.json'), { type: manifest.type, version: manifest.version })
  writeJson(join(out, 'package.json'), {
    ...manifest,
    ...publisher,
    sideEffects: false,
    exports: {
      '.': { types: './lib/src/index.d.ts', default: './lib/src/index.js' },
      ...Object.fromEntries(documents.map(file => [`./${file}`, `./${file}`])),
    },
  })
  for (const file of ['README.md', ...documents]) copyFileSync(join(folder, file), join(out, file))
  copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
}

/** Builds all packages into folders below `out`, and returns their paths. */
export function buildPackages(out: string, publisher: Required<Publisher>): string[] {
  return Object.keys(builders).map(name => {
    if (!isPackage(name)) throw new Error(`${name} is not a package`)
    buildPackage(name, join(out, name), publisher)
    return join(out, name)
  })
}

const isPackage = (name: string): name is PackageName => Object.hasOwn(builders, name)

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
