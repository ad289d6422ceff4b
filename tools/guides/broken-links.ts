import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'

/** The links of a document in `folder` that name no file or no heading of one. Addresses elsewhere are not looked at. */
export async function brokenLinks(markdown: string, folder: string): Promise<string[]> {
  const prose = markdown.replace(/^(```+)[^\n]*\n.*?^\1$/gms, '').replace(/`[^`\n]*`/g, '')
  const broken: string[] = []
  for (const [, link = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link)) continue
    const [path = '', anchor] = link.split('#')
    const file = resolve(folder, decodeURIComponent(path))
    const found = path === '' ? undefined : await stat(file).catch(() => null)
    const isHere =
      found !== null &&
      (anchor === undefined ||
        anchorsOf(found?.isFile() ? await readFile(file, 'utf8') : markdown).has(anchor))
    if (!isHere) broken.push(link)
  }
  return broken
}

/** Headings as they are linked to: small letters, hyphens for spaces, no punctuation. */
function anchorsOf(markdown: string): Set<string> {
  const headings = markdown.matchAll(/^#+ (.*)$/gm)
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}
