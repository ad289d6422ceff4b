import { hash, randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contractFor, demoProfile } from '@chancery/contract'
import { codingExtensions, compressFile } from '../http/static-file.ts'
import { type BuiltPage, digestSources, type Manifest, manifestFile } from './built-pages.ts'
import { siteOf } from './layout.ts'
import { type Listener, type Page, renderCommonPages, renderContractPages } from './render-pages.ts'

/**
 * Builds and compresses every page of both listeners for the demo game at its default URL, and the downloads. Files are named by their content and the
 * manifest is written last, so that builds and readers may run concurrently.
 */
export async function buildPages(outDir: string, downloads: readonly Page[]): Promise<void> {
  await mkdir(outDir, { recursive: true })
  const contract = contractFor(demoProfile)
  const listeners: Listener[] = ['public', 'operator']
  const built = listeners.map(async listener => {
    const site = siteOf(contract, listener)
    return Promise.all([
      ...renderContractPages(contract, listener, site).map(page =>
        write(outDir, { listener, isOfContract: true }, page),
      ),
      ...(await renderCommonPages(listener, site)).map(page =>
        write(outDir, { listener, isOfContract: false }, page),
      ),
    ])
  })
  const kind = { listener: 'public', isOfContract: false } as const
  built.push(Promise.all(downloads.map(file => write(outDir, kind, file))))
  const manifest: Manifest = { sources: digestSources() ?? '', pages: (await Promise.all(built)).flat() }
  await replaceFile(join(outDir, manifestFile), JSON.stringify(manifest))
}

async function write(
  outDir: string,
  kind: Pick<BuiltPage, 'listener' | 'isOfContract'>,
  { path, contentType, content }: Page,
): Promise<BuiltPage> {
  const bytes = Buffer.from(content)
  const file = hash('sha256', bytes).slice(0, 24)
  for (const [coding, form] of await compressFile(bytes, contentType))
    await replaceFile(join(outDir, file + codingExtensions[coding]), form)
  await replaceFile(join(outDir, file), bytes)
  return { ...kind, path, contentType, file }
}

async function replaceFile(file: string, content: Buffer | string): Promise<void> {
  const written = `${file}.${randomUUID()}`
  await writeFile(written, content)
  await rename(written, file)
}
