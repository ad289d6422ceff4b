/** Server-sent events as they stand in a text that may have been left in the middle of one. */
export function eventsIn(text: string): { data: unknown[]; problems: string[] } {
  const data: unknown[] = []
  const problems: string[] = []
  const lines = text.slice(0, text.lastIndexOf('\n\n') + 1).split('\n')
  for (const line of lines) {
    if (line === '' || line.startsWith(':') || /^(id|retry): \d+$/.test(line)) continue
    if (!line.startsWith('data: ')) {
      problems.push(`a line is none of server-sent events: ${line.slice(0, 100)}`)
      continue
    }
    try {
      data.push(JSON.parse(line.slice('data: '.length)))
    } catch {
      problems.push(`data is not JSON: ${line.slice(0, 100)}`)
    }
  }
  return { data, problems }
}

const enoughBytes = 20_000

/** A stream that has made a comment has told what the log held; one that has said so much tells events as it should. */
export const hasSaidEnough = (raw: Buffer): boolean => raw.length > enoughBytes || raw.includes('\n: ')
