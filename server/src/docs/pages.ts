import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Contract, contractFor, demoProfile } from '@chancery/contract'
import { createOnce, createStaticFile, readStaticFile, type StaticFile } from '../http/static-file.ts'
import { type BuiltPage, openBuiltPages, pagesDirectory } from './built-pages.ts'
import { moveToSite, policyOf } from './layout.ts'
import type { Listener } from './render-pages.ts'
import { isBuiltContract, siteOf } from './site.ts'

export interface PagesOptions {
  contract: Contract
  listener: Listener
  /** What callers see in front of the public listener, once it listens: examples call it. */
  publicUrl: () => string
}

/** The files of a listener by their path: read, and made to fit this service, once, at the first request for each. */
export function createPages({ contract, listener, publicUrl }: PagesOptions) {
  const readPages = createOnce(async () => {
    const site = siteOf(contract, listener, publicUrl())
    const renderOwn = createOnce(async () => {
      const { renderContractPages } = await import('./render-pages.ts')
      return new Map(
        renderContractPages(contract, listener, site).map(({ path, content }) => [path, content]),
      )
    })
    const builtSite = siteOf(contractFor(demoProfile), listener)

    /** The content where it differs from what was built. */
    async function ownContent(page: BuiltPage, built: string): Promise<string> {
      if (page.isOfContract && !isBuiltContract(contract)) return (await renderOwn()).get(page.path) ?? built
      return moveToSite(built, builtSite, site)
    }

    async function open(page: BuiltPage): Promise<StaticFile> {
      const file = join(pagesDirectory, page.file)
      const built = await readFile(file, 'utf8')
      const content = await ownContent(page, built)
      const headers = headersOf(page, content)
      return content === built
        ? readStaticFile(file, page.contentType, headers)
        : createStaticFile(content, page.contentType, headers)
    }

    const pages = (await openBuiltPages()).filter(page => page.listener === listener)
    return new Map(pages.map(page => [page.path, createOnce(() => open(page))]))
  })
  return async (path: string): Promise<StaticFile | undefined> => (await readPages()).get(path)?.()
}

function headersOf({ contentType }: BuiltPage, content: string): Record<string, string> {
  const headers = {
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
  if (contentType.startsWith('text/html')) return { ...headers, 'content-security-policy': policyOf(content) }
  return contentType.startsWith('application/json')
    ? { ...headers, 'access-control-allow-origin': '*' }
    : headers
}
