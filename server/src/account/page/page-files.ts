import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readStaticFile, type StaticFile } from '../../http/static-file.ts'
import { assetUrl } from '../../start/asset-url.ts'

/** The files of the built page by path below /developers/. */
export type PageFiles = Map<string, StaticFile>

/** Where `npm ci` builds the page. */
export const builtPage = fileURLToPath(assetUrl('portal/dist/'))

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

/** Reads the built page. Undefined where it was not built. */
export async function readPageFiles(directory: string): Promise<PageFiles | undefined> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const files: PageFiles = new Map()
  for (const entry of entries) {
    const contentType = contentTypes[extname(entry.name)]
    if (!entry.isFile() || contentType === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const path = file.slice(join(directory, '/').length).replaceAll('\\', '/')
    // Its name changes with its content: it may be cached for ever.
    const isImmutable = path.startsWith('assets/')
    const headers = { 'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache' }
    files.set(path, await readStaticFile(file, contentType, headers))
  }
  return files.has('index.html') ? files : undefined
}
