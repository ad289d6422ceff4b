import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { assetUrl } from '../start/asset-url.ts'
import { escaped, introduction, layoutPage, publicLayout, type Site } from './layout.ts'
import { createMarkdown } from './markdown.ts'

/** The folders of docs/ for authors of bots; the others are for operators. */
const shownFolders = ['guides', 'errors'] as const

/** Guides that are not in docs/guides: the READMEs of what authors download. */
const readmes: Record<string, string> = {
  'client/README.md': 'javascript-client',
  'examples/python/README.md': 'python-client',
}

/** What else of the repository the service has. */
const otherPages: Record<string, string> = {
  'CHANGELOG.md': '/docs/changelog',
  'examples/python/chancery.py': '/downloads/chancery.py',
}

/** The guides in the order in which their readers need them. */
const guideOrder = [
  'your-first-bot',
  'javascript-client',
  'python-client',
  'verify-a-nation',
  'follow-the-war-feed',
  'draw-a-curve',
  'mirror-the-world',
  'limits-and-caching',
  'scopes-and-privacy',
  'stability',
]

/** A documentation page in Markdown. */
export interface Guide {
  /** Its file in the repository. */
  file: string
  folder: (typeof shownFolders)[number]
  /** The last part of its URL; empty for the README of a folder. */
  name: string
  title: string
  markdown: string
}

/** The URL of the service in the Markdown, which pages replace. */
const exampleUrl = 'http://127.0.0.1:8080'

/** Reads the guides and the pages about errors. */
export async function readGuides(): Promise<Guide[]> {
  const read = async (file: string): Promise<Guide> => {
    const place = placeOf(file)
    if (!place) throw new Error(`${file} is not shown`)
    const markdown = await readFile(assetUrl(file), 'utf8')
    const title = (/^# (.+)$/m.exec(markdown)?.[1] ?? file).replaceAll('`', '')
    return { file, ...place, title, markdown }
  }
  const names = shownFolders.map(async folder => {
    const found = await readdir(assetUrl(`docs/${folder}/`))
    return found.filter(name => name.endsWith('.md')).map(name => `docs/${folder}/${name}`)
  })
  const files = [...(await Promise.all(names)).flat(), ...Object.keys(readmes)]
  return Promise.all(files.sort().map(read))
}

/** Where a file of the repository is shown; undefined for others. */
function placeOf(file: string): Pick<Guide, 'folder' | 'name'> | undefined {
  const readme = readmes[file]
  if (readme !== undefined) return { folder: 'guides', name: readme }
  const [, inFolder, name] = /^docs\/(\w+)\/([\w-]+)\.md$/.exec(file) ?? []
  const folder = shownFolders.find(shown => shown === inFolder)
  return folder && name !== undefined ? { folder, name: name === 'README' ? '' : name } : undefined
}

export const addressOf = ({ folder, name }: Pick<Guide, 'folder' | 'name'>): string =>
  name === '' ? `/docs/${folder}` : `/docs/${folder}/${name}`

/** The URL of a link on the running service; undefined for a link into the repository. */
export function linkFrom({ file }: Pick<Guide, 'file'>, href: string): string | undefined {
  if (/^(https?:|#|\/)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = posix.join(posix.dirname(file), path)
  if (otherPages[target] !== undefined) return otherPages[target]
  const place = placeOf(target)
  if (!place) return undefined
  return anchor === undefined ? addressOf(place) : `${addressOf(place)}#${anchor}`
}

/** Renders a documentation page as HTML. */
export function renderGuide(guide: Guide, site: Site): string {
  const markdown = guide.markdown.replaceAll(exampleUrl, () => site.publicUrl)
  const body = createMarkdown(href => linkFrom(guide, href)).blocks(markdown)
  return layoutPage({ ...publicLayout, site, title: guide.title, body })
}

/** The documentation pages of a folder, in the order in which their readers need them. */
const pagesOf = (guides: readonly Guide[], folder: Guide['folder']): Guide[] =>
  guides
    .filter(guide => guide.folder === folder && guide.name !== '')
    .sort((one, other) => guideOrder.indexOf(one.name) - guideOrder.indexOf(other.name))

/** What a page is about, in a sentence: its first one, or what happened, of an error. */
function summaryOf({ folder, markdown }: Guide): string {
  const [, text = ''] =
    (folder === 'errors' ? /^\| \d{3} +\| (.+?) +\|/m : /^# .+\n+(.+)$/m).exec(markdown) ?? []
  const [sentence] = /^.+?\.(?=\s|$)/.exec(text) ?? [text]
  return sentence.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}

/** Renders the list of all pages. */
export function renderIndex(guides: readonly Guide[], site: Site): string {
  const items = (folder: Guide['folder']) =>
    pagesOf(guides, folder)
      .map(
        guide =>
          `<li><a href="${addressOf(guide)}">${escaped(guide.title)}</a><br>${escaped(summaryOf(guide))}</li>`,
      )
      .join('\n')
  const body = `<h1>Guides</h1>\n<p>${introduction}</p>\n<ol class="guides">\n${items('guides')}\n</ol>\n<h2>Errors</h2>\n<ul class="guides">\n${items('errors')}\n</ul>`
  return layoutPage({ ...publicLayout, site, title: 'Guides', body, style: indexStyle })
}

const indexStyle = '\n.guides li { margin-bottom: 0.75rem }\n'

/** A page as Markdown with absolute links, for programs. Links into the repository become their text. */
export function renderMarkdown(guide: Guide, { publicUrl }: Site): string {
  return guide.markdown
    .replaceAll(exampleUrl, () => publicUrl)
    .replace(/(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/g, (_link, text: string, href: string) => {
      const target = linkFrom(guide, href)
      if (target === undefined) return text
      const [path = '', anchor] = target.split('#')
      if (!path.startsWith('/')) return `[${text}](${target})`
      const file = `${publicUrl}${path}${isGuide(path) ? '.md' : ''}`
      return `[${text}](${file}${anchor === undefined ? '' : `#${anchor}`})`
    })
}

const isGuide = (path: string) => shownFolders.some(folder => path.startsWith(`/docs/${folder}/`))

/** Renders llms.txt (https://llmstxt.org): what the service is, and its pages as Markdown. */
export function renderLlms(guides: readonly Guide[], { title, publicUrl }: Site): string {
  const items = (folder: Guide['folder']) =>
    pagesOf(guides, folder)
      .map(guide => `- [${guide.title}](${publicUrl}${addressOf(guide)}.md): ${summaryOf(guide)}`)
      .join('\n')
  return `# ${title}

> A read-only HTTP API that returns the nations, alliances, wars, market and events of a multiplayer strategy game as JSON. Operations are below ${publicUrl}/api/v1. Public data needs no key. ${introduction}

- [OpenAPI document](${publicUrl}/openapi.json): every operation, parameter, field and error

## Guides

${items('guides')}

## Errors

${items('errors')}
`
}
