/** A line of a chart: milliseconds by size of the world. */
export interface Line {
  name: string
  points: { nations: number; ms: number }[]
}

const width = 760
const height = 420
const frame = { left: 64, right: 250, top: 36, bottom: 44 }
const colors = ['#1f6feb', '#bf3989', '#1a7f37', '#9a6700', '#cf222e', '#6e40c9', '#0a7ea4', '#57606a']
const ticksMs = [0.3, 1, 3, 10, 30, 100, 300, 1_000]

/** Cost against size as SVG, both on scales of powers of ten: what is flat is a level line, what grows in proportion a diagonal one. */
export function drawChart(title: string, lines: Line[]): string {
  const sizes = [...new Set(lines.flatMap(({ points }) => points.map(({ nations }) => nations)))].sort(
    (one, other) => one - other,
  )
  const [least = 1, most = 10] = [sizes[0], sizes.at(-1)]
  const across = (nations: number) =>
    frame.left + share(nations, least, Math.max(most, least * 10)) * (width - frame.left - frame.right)
  const up = (ms: number) =>
    height - frame.bottom - share(Math.max(ms, 0.3), 0.3, 1_000) * (height - frame.top - frame.bottom)
  const parts = [
    `<text x="${frame.left}" y="20" font-size="14" font-weight="600">${escaped(title)}</text>`,
    ...ticksMs.flatMap(ms => [
      `<line x1="${frame.left}" x2="${width - frame.right}" y1="${at(up(ms))}" y2="${at(up(ms))}" stroke="#d0d7de"/>`,
      `<text x="${frame.left - 8}" y="${at(up(ms) + 4)}" text-anchor="end">${ms} ms</text>`,
    ]),
    ...sizes.map(
      nations =>
        `<text x="${at(across(nations))}" y="${height - frame.bottom + 20}" text-anchor="middle">${nations.toLocaleString('en')} nations</text>`,
    ),
    ...lines.flatMap((line, index) => drawLine(line, index, across, up)),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="11" fill="#57606a">
<title>What a page costs in milliseconds against how many nations there are</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${parts.join('\n')}
</svg>
`
}

function drawLine(
  { name, points }: Line,
  index: number,
  across: (nations: number) => number,
  up: (ms: number) => number,
): string[] {
  const color = colors[index % colors.length]
  const places = points.map(({ nations, ms }) => `${at(across(nations))},${at(up(ms))}`)
  const y = frame.top + 14 + index * 18
  return [
    `<polyline points="${places.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>`,
    ...places.map(place => {
      const [x, y] = place.split(',')
      return `<circle cx="${x}" cy="${y}" r="3" fill="${color}"/>`
    }),
    `<rect x="${width - frame.right + 16}" y="${y - 9}" width="10" height="10" fill="${color}"/>`,
    `<text x="${width - frame.right + 32}" y="${y}">${escaped(name)}</text>`,
  ]
}

const share = (value: number, least: number, most: number) =>
  (Math.log10(value) - Math.log10(least)) / (Math.log10(most) - Math.log10(least))
const at = (place: number) => place.toFixed(1)
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
