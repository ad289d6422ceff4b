import type { Contract } from '@chancery/contract'
import { basePathOf } from '../http/base-path.ts'
import { escaped, introduction, layoutPage, publicLayout, type Site } from './layout.ts'

/** The ways on from the landing page: link text, path, and what the reader finds there. */
const waysOn = [
  ['Your first bot', '/docs/guides/your-first-bot', 'A Discord bot in one file to copy, in ten minutes.'],
  ['Guides', '/docs/guides', 'Verification, events and webhooks, limits, scopes and API stability.'],
  ['API reference', '/docs/', 'Every operation and field, with examples to try.'],
  ['Developer settings', '/developers', 'Create API keys, webhooks and verification codes.'],
  ['Status', '/docs/status', 'Whether the API is available, and when the world last changed.'],
  ['Changelog', '/docs/changelog', 'What changed in each version, also as an Atom feed.'],
  ['llms.txt', '/llms.txt', 'The guides as Markdown, for language models.'],
  ['openapi.json', '/openapi.json', 'The API as an OpenAPI document, for generators.'],
] as const

/** Renders the landing page of the public listener. */
export function renderLanding({ profile }: Contract, site: Site): string {
  const game = escaped(profile.name)
  const items = waysOn.map(([label, href, text]) => `<li><a href="${href}">${label}</a><br>${text}</li>`)
  const body = `<h1>${escaped(site.title)}</h1>
<p>The nations, alliances, wars, market and events of ${game} as JSON, for bots, tools and players. Public data needs no key; a key from the <a href="/developers">developer settings</a> has a higher rate limit and reads the private data of your own nation. ${introduction}</p>
<h2>First request</h2>
<pre><code>curl '${site.publicUrl}/api/v1/nations?limit=3'</code></pre>
<h2>Documentation and tools</h2>
<ul class="ways">
${items.join('\n')}
</ul>`
  return layoutPage({ ...publicLayout, site, title: 'Start', body, style: waysOnStyle })
}

const waysOnStyle = `
.ways { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1rem 2rem; list-style: none; padding: 0 }
.ways a { font-weight: 600 }
`

/** Renders the page that a browser gets for an unknown path. */
export const renderNotFound = (site: Site): string =>
  layoutPage({
    ...publicLayout,
    site,
    title: 'Page not found',
    body: `<h1>Page not found</h1>
<p>There is no page at this address. Operations of the API are below <code>${basePathOf(site.publicUrl)}/api/v1</code>; the <a href="/docs/">API reference</a> lists them.</p>
<p><a href="/">Start page</a></p>`,
  })

/** The state that the status page shows. */
export interface ServiceStatus {
  isAvailable: boolean
  /** When the game last sent a change; null before its first. */
  worldChangedAt: string | null
}

/** Renders the status page. */
export function renderStatus({ isAvailable, worldChangedAt }: ServiceStatus, site: Site): string {
  const state = isAvailable
    ? 'The API is available.'
    : 'The API is temporarily unavailable. Try again in a minute.'
  const changed =
    worldChangedAt === null
      ? ''
      : `<p>The world last changed at <time datetime="${worldChangedAt}">${worldChangedAt.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')}</time>.</p>\n`
  const body = `<h1>Status</h1>
<p><strong>${state}</strong></p>
${changed}<p>For programs: <a href="/readyz">${basePathOf(site.publicUrl)}/readyz</a> returns 200 while the API is available, and 503 otherwise.</p>`
  return layoutPage({ ...publicLayout, site, title: 'Status', body })
}
