/** What follows the comment of this name in a document: the content of a fenced block, or a table. */
export function markedBlock(markdown: string, name: string): string {
  const parts = markdown.split(`<!-- ${name} -->\n\n`)
  const following = parts[1]
  if (following === undefined || parts.length > 2)
    throw new Error(`the document has ${parts.length - 1} blocks named ${name}`)
  const fenced = /^```\w*\n(.*?\n)```\n/s.exec(following)?.[1]
  return fenced ?? following.split('\n\n')[0] ?? ''
}
