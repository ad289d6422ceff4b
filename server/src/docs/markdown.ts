import GithubSlugger from 'github-slugger'
import { Marked } from 'marked'
import { highlight } from './highlight.ts'
import { escaped } from './layout.ts'

const comment = /^<!--(?:(?!-->)[\s\S])*-->\s*$/

const linkOfPage = (href: string) => (/^(https?:|#|\/)/.test(href) ? href : undefined)

/**
 * Renders Markdown. `linkTo` resolves links; where it returns undefined, only the link text is rendered. Descriptions also come from game
 * profiles: HTML in them is rendered as text, and images as their alternative text.
 */
export function createMarkdown(
  linkTo: (href: string) => string | undefined = linkOfPage,
  { idPrefix = '' }: { idPrefix?: string } = {},
) {
  // Headings have the same ids as on GitHub, so that links work in both.
  const slugger = new GithubSlugger()
  let section = 'Table'
  const marked = new Marked({
    hooks: {
      preprocess(markdown) {
        slugger.reset()
        section = 'Table'
        return markdown
      },
    },
    renderer: {
      html: ({ text }) => (comment.test(text) ? '' : escaped(text)),
      image: ({ text }) => escaped(text),
      code: ({ text, lang = '' }) => `<pre><code>${highlight(text, lang)}\n</code></pre>\n`,
      heading({ tokens, depth }) {
        section = this.parser.parseInline(tokens, this.parser.textRenderer)
        const id = slugger.slug(section)
        return `<h${depth} id="${idPrefix}${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        const target = linkTo(href)
        return target === undefined ? words : `<a href="${escaped(target)}">${words}</a>`
      },
      // A wide table scrolls by itself, not the page.
      table(token) {
        const cellOf = (cell: (typeof token.header)[number], tag: 'th' | 'td') =>
          `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`
        const row = (cells: typeof token.header, tag: 'th' | 'td') =>
          `<tr>${cells.map(cell => cellOf(cell, cell.text === '' ? 'td' : tag)).join('')}</tr>`
        const rows = token.rows.map(cells => row(cells, 'td')).join('\n')
        // Unique on a page: with the heading above it.
        const label = escaped(`${section}: ${token.header.map(({ text }) => text).join(', ')}`)
        return `<div class="wide" tabindex="0" role="region" aria-label="${label}"><table><thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`
      },
    },
  })
  return {
    blocks: (markdown: string): string => marked.parse(markdown, { async: false }),
    inline: (markdown: string): string => marked.parseInline(markdown, { async: false }),
  }
}
