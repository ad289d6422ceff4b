import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { assetUrl } from '../start/asset-url.ts'
import { escaped, layoutPage, publicLinks, type Site } from './layout.ts'
import { createMarkdown } from './markdown.ts'

const docs = assetUrl('docs/')

/** The folders of docs/ for authors of bots; the others are for operators. */
const shownFolders = ['guides', 'errors'] as const

/** The guides in the order in which their readers need them. */
const guideOrder = [
  'your-first-bot',
  'verify-a-nation',
  'follow-the-war-feed',
  'limits-and-caching',
  'scopes-and-privacy',
  'stability',
]

/** A documentation page in Markdown. */
export interface Guide {
  folder: (typeof shownFolders)[number]
  /** The last part of its URL: the file name without `.md`; empty for a README. */
  name: string
  title: string
  markdown: string
}

/** The URL of the service in the Markdown, which pages replace. */
const exampleUrl = 'http://127.0.0.1:8080'

/** Reads the guides and the pages about errors. */
export async function readGuides(): Promise<Guide[]> {
  const read = shownFolders.map(async folder => {
    const names = await readdir(new URL(`${folder}/`, docs))
    const files = names.filter(name => name.endsWith('.md')).sort()
    return Promise.all(
      files.map(async (file): Promise<Guide> => {
        const markdown = await readFile(new URL(`${folder}/${file}`, docs), 'utf8')
        const title = /^# (.+)$/m.exec(markdown)?.[1] ?? file
        return { folder, name: file === 'README.md' ? '' : file.slice(0, -3), title, markdown }
      }),
    )
  })
  return (await Promise.all(read)).flat()
}

export const addressOf = ({ folder, name }: Pick<Guide, 'folder' | 'name'>): string =>
  name === '' ? `/docs/${folder}` : `/docs/${folder}/${name}`

/** The URL of a link on the running service; undefined for a link into the repository. */
export function linkFrom({ folder }: Guide, href: string): string | undefined {
  if (/^(https?:|#|\/)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const [target, file, ...deeper] = posix.join(folder, path).split('/')
  const shown = shownFolders.find(known => known === target)
  if (!shown || file === undefined || deeper.length > 0 || !file.endsWith('.md')) return undefined
  const address = addressOf({ folder: shown, name: file === 'README.md' ? '' : file.slice(0, -3) })
  return anchor === undefined ? address : `${address}#${anchor}`
}

/** Renders a documentation page as HTML. */
export function renderGuide(guide: Guide, site: Site): string {
  const markdown = guide.markdown.replaceAll(exampleUrl, () => site.publicUrl)
  const body = createMarkdown(href => linkFrom(guide, href)).blocks(markdown)
  return layoutPage({ site, title: guide.title, body, links: publicLinks })
}

/** Renders the list of all pages. */
export function renderIndex(guides: readonly Guide[], site: Site): string {
  const items = (folder: Guide['folder']) =>
    guides
      .filter(guide => guide.folder === folder && guide.name !== '')
      .sort((one, other) => guideOrder.indexOf(one.name) - guideOrder.indexOf(other.name))
      .map(guide => `<li><a href="${addressOf(guide)}">${escaped(guide.title)}</a></li>`)
      .join('\n')
  const body = `<h1>Guides</h1>\n<ul>\n${items('guides')}\n</ul>\n<h2>Errors</h2>\n<ul>\n${items('errors')}\n</ul>`
  return layoutPage({ site, title: 'Guides', body, links: publicLinks })
}
