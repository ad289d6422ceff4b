import { readFile } from 'node:fs/promises'
import { type Contract, factsSchema, openApiFor, operatorOpenApiFor } from '@chancery/contract'
import { assetUrl } from '../start/asset-url.ts'
import { addressOf, readGuides, renderGuide, renderIndex } from './guides.ts'
import type { Site } from './layout.ts'
import { type ReferenceKind, renderReference, scriptPath } from './reference.ts'

export type Listener = ReferenceKind

/** A page, script or document. */
export interface Page {
  path: string
  contentType: string
  content: string
}

const types = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  schema: 'application/schema+json; charset=utf-8',
  script: 'text/javascript; charset=utf-8',
}

/** Renders the pages of the contract: the OpenAPI document, its reference, and for the operator API the schema of facts. */
export function renderContractPages(contract: Contract, listener: Listener, site: Site): Page[] {
  const document =
    listener === 'public' ? openApiFor(contract, { serverUrl: site.publicUrl }) : operatorOpenApiFor(contract)
  const pages: Page[] = [
    { path: '/openapi.json', contentType: types.json, content: JSON.stringify(document) },
    { path: '/docs/', contentType: types.html, content: renderReference(document, site, listener) },
  ]
  if (listener === 'operator') {
    const content = JSON.stringify(factsSchema(contract))
    pages.push({ path: '/facts.schema.json', contentType: types.schema, content })
  }
  return pages
}

/** Renders the pages that are the same for every game: the script of the reference, and on the public listener guides and error pages. */
export async function renderCommonPages(listener: Listener, site: Site): Promise<Page[]> {
  const script = await readFile(assetUrl('server/src/docs/reference-script.js'), 'utf8')
  const pages: Page[] = [{ path: scriptPath, contentType: types.script, content: script }]
  if (listener === 'operator') return pages
  const guides = await readGuides()
  return [
    ...pages,
    { path: '/docs/guides', contentType: types.html, content: renderIndex(guides, site) },
    ...guides.map(guide => ({
      path: addressOf(guide),
      contentType: types.html,
      content: renderGuide(guide, site),
    })),
  ]
}
