import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ApiError } from '../http/http-error.ts'
import { assetUrl } from '../start/asset-url.ts'
import type { Listener, Page } from './render-pages.ts'

/** The directory of built pages. */
export const pagesDirectory = fileURLToPath(assetUrl('server/dist/pages/'))

/** A built file. Its compressed forms have the extensions `.br` and `.gz`. */
export interface BuiltPage extends Omit<Page, 'content'> {
  listener: Listener
  file: string
  /** Whether it is rendered from the contract: the built file is that of the demo game. */
  isOfContract: boolean
}

/** The built pages and a digest of their sources. */
export interface Manifest {
  sources: string
  pages: BuiltPage[]
}

export const manifestFile = 'pages.json'

const root = fileURLToPath(assetUrl(''))
const guides = join(root, 'docs/guides')

/** A digest of the sources of all pages; undefined without sources, as in a bundle. */
export function digestSources(): string | undefined {
  if (!existsSync(guides)) return undefined
  const files = globSync(
    [
      'CHANGELOG.md',
      'docs/{guides,errors}/*.md',
      'server/{downloads.ts,src/docs/*}',
      '{client,game}/{build.ts,package.json,README.md,src/*.ts}',
      'examples/python/{chancery.py,README.md}',
      'contract/src/**/*.ts',
      'contract/examples.json',
    ],
    { cwd: root },
  )
  const parts = files.sort().map(file => `${file}\0${readFileSync(join(root, file), 'utf8')}`)
  return hash('sha256', parts.join('\0'))
}

const readManifest = async (directory: string): Promise<Manifest | undefined> => {
  const text = await readFile(join(directory, manifestFile), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : JSON.parse(text)
}

/** Whether this process can serve the pages: they are built, or it runs in a clone, which builds them on demand. */
export const canServePages = (): boolean =>
  existsSync(join(pagesDirectory, manifestFile)) || existsSync(guides)

/**
 * The built pages. In a clone they are rebuilt where a source has changed.
 * @throws {ApiError} unavailable, where they are missing and cannot be built.
 */
export async function openBuiltPages(directory = pagesDirectory): Promise<BuiltPage[]> {
  const sources = digestSources()
  const isCurrent = (manifest?: Manifest): manifest is Manifest =>
    manifest !== undefined && (sources === undefined || manifest.sources === sources)
  const built = await readManifest(directory)
  if (isCurrent(built)) return built.pages
  if (sources !== undefined) {
    const script = fileURLToPath(assetUrl('server/build-pages.ts'))
    const options = ['--disable-warning=ExperimentalWarning', script, directory]
    // In a process of its own, whose memory is freed afterwards.
    await promisify(execFile)(process.execPath, options).catch(() => undefined)
    const rebuilt = await readManifest(directory)
    if (isCurrent(rebuilt)) return rebuilt.pages
  }
  throw new ApiError('unavailable', 'The documentation is not built for this version: run npm ci.')
}
