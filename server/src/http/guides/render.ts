import { createHash } from 'node:crypto'
import GithubSlugger from 'github-slugger'
import { Marked } from 'marked'
import { addressOf, type Guide, linkFrom } from './read-guides.ts'

/** Where guides in the repository expect the service: what is shown instead is where it is. */
const exampleUrl = 'http://127.0.0.1:8080'

export interface Surroundings {
  /** The game's name. */
  title: string
  publicUrl: string
}

const style = `
:root { color-scheme: light dark; --ink: light-dark(#1c2126, #dfe3e8); --soft: light-dark(#5c6670, #9aa4ae);
  --line: light-dark(#d9dee3, #343b42); --paper: light-dark(#ffffff, #15191d); --code: light-dark(#f3f5f7, #1f252a);
  --link: light-dark(#1d5a92, #7db8ee) }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif }
header { border-bottom: 1px solid var(--line) }
nav, main { max-width: 52rem; margin: 0 auto; padding: 0 1.25rem }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; padding-block: 0.9rem }
nav strong { margin-right: auto }
@media (max-width: 30rem) { nav strong { flex-basis: 100% } }
main { padding-block: 1rem 5rem; overflow-wrap: break-word }
a { color: var(--link) }
h1 { font-size: 1.9rem; line-height: 1.25; margin: 1.5rem 0 1rem }
h2 { font-size: 1.35rem; margin: 2.5rem 0 0.75rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line) }
h3 { font-size: 1.1rem; margin: 1.75rem 0 0.5rem }
code { font: 0.875em/1.5 ui-monospace, monospace; background: var(--code); border-radius: 4px; padding: 0.1em 0.3em }
pre { background: var(--code); border-radius: 6px; padding: 0.9rem 1rem; overflow-x: auto }
pre code { background: none; padding: 0 }
.wide { overflow-x: auto }
table { border-collapse: collapse; min-width: 100%; font-size: 0.94rem }
th, td { border-bottom: 1px solid var(--line); padding: 0.45rem 0.75rem 0.45rem 0; text-align: left; vertical-align: top }
th { color: var(--soft); font-weight: 600 }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
`

/** Nothing is loaded from anywhere, and nothing runs: the one style is allowed by its hash. */
export const policy = [
  "default-src 'none'",
  'img-src data:',
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A page of the documentation as HTML. */
export function renderGuide(guide: Guide, surroundings: Surroundings): string {
  const markdown = guide.markdown.replaceAll(exampleUrl, surroundings.publicUrl)
  return frame(guide.title, markdownOf(guide).parse(markdown, { async: false }), surroundings)
}

/** The list of all pages. */
export function renderIndex(guides: readonly Guide[], surroundings: Surroundings): string {
  const items = (folder: Guide['folder']) =>
    guides
      .filter(guide => guide.folder === folder && guide.name !== '')
      .map(guide => `<li><a href="${addressOf(guide)}">${escaped(guide.title)}</a></li>`)
      .join('\n')
  const body = `<h1>Guides</h1>\n<ul>\n${items('guides')}\n</ul>\n<h2>Errors</h2>\n<ul>\n${items('errors')}\n</ul>`
  return frame('Guides', body, surroundings)
}

function markdownOf(guide: Guide): Marked {
  // Links work on GitHub too: headings have the ids that it gives them.
  const slugger = new GithubSlugger()
  return new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const id = slugger.slug(this.parser.parseInline(tokens, this.parser.textRenderer))
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        const target = linkFrom(guide, href)
        return target === undefined ? words : `<a href="${escaped(target)}">${words}</a>`
      },
      // A table that is wider than a phone is moved by itself, not the page.
      table(token) {
        const row = (cells: typeof token.header, tag: 'th' | 'td') =>
          `<tr>${cells.map(cell => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
        const rows = token.rows.map(cells => row(cells, 'td')).join('\n')
        return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`
      },
    },
  })
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const frame = (title: string, body: string, surroundings: Surroundings) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · ${escaped(surroundings.title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header><nav aria-label="Documentation"><strong>${escaped(surroundings.title)}</strong>
<a href="/docs/guides">Guides</a> <a href="/docs/errors">Errors</a> <a href="/docs/">Reference</a></nav></header>
<main>
${body}
</main>
</body>
</html>
`
