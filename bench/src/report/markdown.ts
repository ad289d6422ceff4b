/** A table. The first row is the head; the first `left` columns are aligned to the left, the others to the right. */
export function markdownTable([head = [], ...rows]: readonly (readonly string[])[], left = 1): string {
  const line = head.map((_, column) => (column < left ? '---' : '---:'))
  return [head, line, ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
}

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
