import { readFile } from 'node:fs/promises'
import { slug } from 'github-slugger'
import { assetUrl } from '../start/asset-url.ts'
import { escaped, layoutPage, publicLayout, type Site } from './layout.ts'
import { createMarkdown } from './markdown.ts'

export const changelogPath = '/docs/changelog'
export const feedPath = '/docs/changelog.atom'

/** A version in the changelog. */
interface Release {
  /** Its heading, such as `[0.2.0] - 2026-11-22`. */
  heading: string
  /** Null for changes that are not released. */
  date: string | null
  markdown: string
}

export const readChangelog = (): Promise<string> => readFile(assetUrl('CHANGELOG.md'), 'utf8')

/** The versions of a changelog, the newest first. */
function releasesOf(changelog: string): Release[] {
  const [, ...sections] = changelog.split(/^## /m)
  return sections.map(section => {
    const end = section.indexOf('\n')
    const heading = section.slice(0, end).trim()
    return {
      heading,
      date: /\d{4}-\d{2}-\d{2}/.exec(heading)?.[0] ?? null,
      markdown: section.slice(end).trim(),
    }
  })
}

const titleOf = ({ heading }: Release) => heading.replace(/[[\]]/g, '')

/** Links into the repository are rendered as text: only pages of this service can be opened. */
const linkOf = (href: string) => (/^(https?:|#)/.test(href) ? href : undefined)

/** Renders the changelog as a page. */
export function renderChangelog(changelog: string, site: Site): string {
  const body = createMarkdown(linkOf).blocks(changelog)
  const feed = `<p><a href="${feedPath}">Atom feed</a></p>`
  return layoutPage({
    ...publicLayout,
    site,
    title: 'Changelog',
    body: body.replace('</h1>', `</h1>\n${feed}`),
    head: `<link rel="alternate" type="application/atom+xml" title="Changelog" href="${feedPath}">`,
  })
}

/** Renders the released versions as an Atom feed (RFC 4287). */
export function renderFeed(changelog: string, { title, publicUrl }: Site): string {
  const released = releasesOf(changelog).filter(({ date }) => date !== null)
  const url = publicUrl + changelogPath
  const entries = released.map(release => {
    const address = `${url}#${slug(titleOf(release))}`
    return `<entry>
<id>${address}</id>
<title>${escaped(titleOf(release))}</title>
<updated>${release.date}T00:00:00Z</updated>
<link href="${address}"/>
<content type="html">${escaped(createMarkdown(linkOf).blocks(release.markdown))}</content>
</entry>`
  })
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${url}</id>
<title>${escaped(title)}: changelog</title>
<updated>${released[0]?.date ?? '1970-01-01'}T00:00:00Z</updated>
<author><name>${escaped(title)}</name></author>
<link rel="self" href="${publicUrl}${feedPath}"/>
<link href="${url}"/>
${entries.join('\n')}
</feed>
`
}
