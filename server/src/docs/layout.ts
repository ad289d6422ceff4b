import { hash } from 'node:crypto'
import { type Contract, demoProfile, operatorTitleFor, profilesEqual } from '@chancery/contract'
import { basePathOf, withBasePath } from '../http/base-path.ts'

/** The service that serves the pages. */
export interface Site {
  /** The name of the API. */
  title: string
  /** The URL of the listener as clients see it. */
  publicUrl: string
}

/** The default URL of the demo, which the guides in the repository use. */
const defaultUrl = 'http://127.0.0.1:8080'

/** Name and URL for the pages of a listener. Pages of the operator API contain no URL. */
export const siteOf = (contract: Contract, listener: 'public' | 'operator', publicUrl = defaultUrl): Site =>
  listener === 'public'
    ? { title: `${contract.profile.name} API`, publicUrl }
    : { title: operatorTitleFor(contract), publicUrl: defaultUrl }

/** Whether the built pages of the contract fit this game. */
export const isBuiltContract = ({ profile }: Contract): boolean => profilesEqual(profile, demoProfile)

/** What the name of the product is, which guides and clients use. */
export const introduction = 'Chancery is the name of the software that serves this API.'

export interface PageLayout {
  site: Site
  title: string
  body: string
  /** The links of the header. */
  links: readonly (readonly [label: string, href: string])[]
  /** The path that the name in the header links to. */
  home: string
  /** URLs of the page's scripts. */
  scripts: readonly string[]
  /** In addition to the style of all pages. */
  style?: string
  /** In addition to the elements that every head has. */
  head?: string
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const baseStyle = `
:root { color-scheme: light dark; --ink: light-dark(#1c2126, #dfe3e8); --soft: light-dark(#5c6670, #9aa4ae);
  --line: light-dark(#d9dee3, #343b42); --paper: light-dark(#ffffff, #15191d); --code: light-dark(#f3f5f7, #1f252a);
  --link: light-dark(#1d5a92, #7db8ee) }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif }
header { border-bottom: 1px solid var(--line) }
header nav, main { max-width: 52rem; margin: 0 auto; padding: 0 1.25rem }
header nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; padding-block: 0.9rem }
header .home { margin-right: auto; color: inherit; text-decoration: none }
@media (max-width: 40rem) { header .home { flex-basis: 100% } }
main { padding-block: 1rem 5rem; overflow-wrap: break-word }
a { color: var(--link) }
h1 { font-size: 1.9rem; line-height: 1.25; margin: 1.5rem 0 1rem }
h2 { font-size: 1.35rem; margin: 2.5rem 0 0.75rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line) }
h3 { font-size: 1.1rem; margin: 1.75rem 0 0.5rem }
code { font: 0.875em/1.5 ui-monospace, monospace; background: var(--code); border-radius: 4px; padding: 0.1em 0.3em }
pre { background: var(--code); border-radius: 6px; padding: 0.9rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere }
pre code { background: none; padding: 0 }
.example { position: relative }
.example pre { padding-right: 4.75rem }
.copy { position: absolute; top: 0.5rem; right: 0.5rem; font: 0.8rem/1.5 system-ui, sans-serif; padding: 0.1rem 0.6rem;
  color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 4px; cursor: pointer }
.token.comment { color: var(--soft) }
.token.keyword, .token.boolean { color: light-dark(#8a2aa1, #d7a1ea) }
.token.string, .token.regex { color: light-dark(#0f6b3c, #86d3a5) }
.token.number, .token.property, .token.function { color: light-dark(#1d5a92, #7db8ee) }
.wide { overflow-x: auto }
table { border-collapse: collapse; min-width: 100%; font-size: 0.94rem }
th, td { border-bottom: 1px solid var(--line); padding: 0.45rem 0.75rem 0.45rem 0; text-align: left; vertical-align: top }
th { color: var(--soft); font-weight: 600 }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
`

/** URL of the script of all pages: it adds a button that copies an example. */
export const copyScriptPath = '/docs/copy.js'

/** What all pages of the public listener have. */
export const publicLayout = {
  home: '/',
  links: [
    ['Guides', '/docs/guides'],
    ['Reference', '/docs/'],
    ['Errors', '/docs/errors'],
    ['Changelog', '/docs/changelog'],
    ['Stability', '/docs/guides/stability'],
    ['Status', '/docs/status'],
    ['Settings', '/developers'],
  ],
  scripts: [copyScriptPath],
} as const satisfies Partial<PageLayout>

/** The two elements of a page that contain the name of the API. */
const titleTags = ({ title }: Site) => [` · ${escaped(title)}</title>`, `<strong>${escaped(title)}</strong>`]

/** Renders the frame of every page. */
export function layoutPage({
  site,
  title,
  body,
  links,
  home,
  scripts,
  style = '',
  head = '',
}: PageLayout): string {
  const [titleEnd, heading] = titleTags(site)
  const anchors = links.map(([label, href]) => `<a href="${href}">${label}</a>`).join(' ')
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}${titleEnd}
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">${head}
<style>${baseStyle}${style}</style>
${scripts.map(script => `<script src="${script}" defer></script>`).join('\n')}
</head>
<body>
<header><nav aria-label="Documentation"><a class="home" href="${home}">${heading}</a>
${anchors}</nav></header>
<main>
${body}
</main>
</body>
</html>
`
  return withBasePath(basePathOf(site.publicUrl), html)
}

/** Replaces name and URL of one site by those of another. The first has no base path. */
export function moveToSite(content: string, from: Site, to: Site): string {
  const linked = content.startsWith('<!doctype html>')
    ? withBasePath(basePathOf(to.publicUrl), content)
    : content
  let moved = linked.replaceAll(from.publicUrl, () => to.publicUrl)
  const ownTags = titleTags(to)
  titleTags(from).forEach((tag, index) => {
    moved = moved.replace(tag, () => ownTags[index] ?? tag)
  })
  return moved
}

/** Content-Security-Policy of a page: its one style is allowed by its hash, and a script is from its own origin. */
export function policyOf(html: string): string {
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
  const isScripted = html.includes('<script src="')
  return [
    "default-src 'none'",
    ...(isScripted ? ["script-src 'self'", "connect-src 'self'"] : []),
    "img-src 'self'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
