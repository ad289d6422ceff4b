import { readFile } from 'node:fs/promises'
import { type Contract, factsSchema, openApiFor, operatorOpenApiFor } from '@chancery/contract'
import { basePathOf } from '../http/base-path.ts'
import { assetUrl } from '../start/asset-url.ts'
import { changelogPath, feedPath, readChangelog, renderChangelog, renderFeed } from './changelog.ts'
import { addressOf, readGuides, renderGuide, renderIndex, renderLlms, renderMarkdown } from './guides.ts'
import { renderLanding } from './landing.ts'
import { copyScriptPath, type Site } from './layout.ts'
import { type ReferenceKind, renderReference, scriptPath } from './reference.ts'

export type Listener = ReferenceKind

/** A page, script, document or download. */
export interface Page {
  path: string
  contentType: string
  content: string | Buffer
}

const types = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  schema: 'application/schema+json; charset=utf-8',
  script: 'text/javascript; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  feed: 'application/atom+xml; charset=utf-8',
  icon: 'image/svg+xml',
  favicon: 'image/x-icon',
}

/** Renders the pages of the contract: the OpenAPI document, its reference, and for the operator API the schema of facts. */
export function renderContractPages(contract: Contract, listener: Listener, site: Site): Page[] {
  const document =
    listener === 'public' ? openApiFor(contract, { serverUrl: site.publicUrl }) : operatorOpenApiFor(contract)
  const pages: Page[] = [
    { path: '/openapi.json', contentType: types.json, content: withLinks(document, site) },
    { path: '/docs/', contentType: types.html, content: renderReference(document, site, listener) },
  ]
  if (listener === 'operator') {
    const content = JSON.stringify(factsSchema(contract))
    pages.push({ path: '/facts.schema.json', contentType: types.schema, content })
  } else {
    pages.push({ path: '/', contentType: types.html, content: renderLanding(contract, site) })
  }
  return pages
}

/** The document as JSON. Links in its descriptions have the base path. */
const withLinks = (document: object, { publicUrl }: Site): string =>
  JSON.stringify(document).replaceAll('](/', () => `](${basePathOf(publicUrl)}/`)

/** The API has nothing for a search engine, and the settings page is private. */
const robots = 'User-agent: *\nDisallow: /api/\nDisallow: /developers\n'

/** Renders the pages that are the same for every game: scripts and icon, and on the public listener guides, error pages and the changelog. */
export async function renderCommonPages(listener: Listener, site: Site): Promise<Page[]> {
  const read = (file: string) => readFile(assetUrl(`server/src/docs/${file}`), 'utf8')
  const icon = await read('icon.svg')
  const pages: Page[] = [
    { path: scriptPath, contentType: types.script, content: await read('reference-script.js') },
    { path: copyScriptPath, contentType: types.script, content: await read('copy-script.js') },
    { path: '/docs/icon.svg', contentType: types.icon, content: icon },
  ]
  if (listener === 'operator') return pages
  const guides = await readGuides()
  const changelog = await readChangelog()
  return [
    ...pages,
    {
      path: '/favicon.ico',
      contentType: types.favicon,
      content: await readFile(assetUrl('server/src/docs/favicon.ico')),
    },
    { path: '/robots.txt', contentType: types.text, content: robots },
    { path: '/llms.txt', contentType: types.markdown, content: renderLlms(guides, site) },
    { path: changelogPath, contentType: types.html, content: renderChangelog(changelog, site) },
    { path: feedPath, contentType: types.feed, content: renderFeed(changelog, site) },
    { path: '/docs/guides', contentType: types.html, content: renderIndex(guides, site) },
    ...guides.flatMap(guide => {
      const page = { path: addressOf(guide), contentType: types.html, content: renderGuide(guide, site) }
      if (guide.name === '') return page
      const content = renderMarkdown(guide, site)
      return [page, { path: `${page.path}.md`, contentType: types.markdown, content }]
    }),
  ]
}
