import { ratioOf } from './ratios.ts'
import type { Results, WorkResult } from './results.ts'
import { measureOf } from './rows.ts'
import { medianOf } from './statistics.ts'

const width = 1080
const columnGap = 40
const margin = 24
const columnWidth = (width - 2 * margin - columnGap) / 2
const labelWidth = 164
const valueWidth = 96
const barHeight = 13
const barStep = 19
const titleHeight = 26
const groupGap = 22
/** A bar of twice the measure fills the space; longer ones are cut, and their figure says so. */
const ratioMax = 2

const style = `
  text { font: 12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: #3c4650; }
  .title { font-weight: 600; fill: #14191f; }
  .head { font-size: 15px; font-weight: 600; fill: #14191f; }
  .small { font-size: 11px; fill: #66717d; }
  .value { font-variant-numeric: tabular-nums; paint-order: stroke; stroke: #ffffff; stroke-width: 4px; }
  .bar { fill: #b9c3cd; }
  .ours { fill: #2f6f9f; }
  .ours-text { font-weight: 600; fill: #14191f; }
  .measure { stroke: #66717d; stroke-dasharray: 2 3; }
  .cut { fill: #ffffff; }
  .paper { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #c3ccd5; }
    .title, .head, .ours-text { fill: #eef2f6; }
    .small { fill: #93a0ad; }
    .bar { fill: #4a5560; }
    .ours { fill: #6db3e8; }
    .measure { stroke: #93a0ad; }
    .value { stroke: #0d1117; }
    .cut, .paper { fill: #0d1117; }
  }`

/** The measured rates as bars, each beside the simplest server that gives the same answer. */
export function plotOf(results: Results): string {
  const { works } = results
  const sides = [
    {
      head: 'Answers that everybody gets',
      note: 'the dotted line: a bare node:http server that writes the same bytes',
      works: works.filter(work => measureOf(work) === 'node'),
    },
    {
      head: 'Different answers, out of the database',
      note: 'the dotted line: Fastify + pg, the plain query and nothing else',
      works: works.filter(work => measureOf(work) === 'plain'),
    },
  ]
  const top = margin + 48
  const columns = sides.map((side, index) => {
    const x = margin + index * (columnWidth + columnGap)
    let y = top
    const groups = side.works.map(work => {
      const group = groupOf(results, work, x, y)
      y += titleHeight + work.contestants.length * barStep + groupGap
      return group
    })
    return {
      bottom: y,
      text: `<text class="head" x="${x}" y="${margin + 14}">${escaped(side.head)}</text>
<text class="small" x="${x}" y="${margin + 32}">${escaped(side.note)}</text>
${groups.join('\n')}`,
    }
  })
  const height = Math.max(...columns.map(({ bottom }) => bottom)) - groupGap + margin
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">Calls a second of Chancery and of others, each as a multiple of the simplest server that gives the same answer</title>
<style>${style}
</style>
<rect class="paper" width="${width}" height="${height}" rx="8"/>
${columns.map(({ text }) => text).join('\n')}
</svg>
`
}

function groupOf(results: Results, work: WorkResult, x: number, y: number): string {
  const barX = x + labelWidth
  const scale = (columnWidth - labelWidth - valueWidth) / ratioMax
  const measure = measureOf(work)
  const bars = work.contestants.map(({ id, title, turns }, index) => {
    const ratio = (measure && ratioOf(results, work.id, id, measure)?.rate) ?? 0
    const rate = Math.round(medianOf(turns.map(turn => turn.perSecond)))
    const barY = y + titleHeight + index * barStep
    const length = Math.max(1.5, Math.min(ratio, ratioMax) * scale)
    const isOurs = id.startsWith('chancery')
    const textY = barY + barHeight - 2.5
    const textClass = isOurs ? ' class="ours-text"' : ''
    return `<text${textClass} x="${barX - 8}" y="${textY}" text-anchor="end">${escaped(title)}</text>
<rect class="${isOurs ? 'ours' : 'bar'}" x="${barX}" y="${barY}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>${ratio > ratioMax ? cutAt(barX + length, barY) : ''}
<text class="value${isOurs ? ' ours-text' : ''}" x="${(barX + length + 6).toFixed(1)}" y="${textY}">${ratio.toFixed(2)} · ${rate.toLocaleString('en')}/s</text>`
  })
  const lineX = barX + scale
  const linesEnd = y + titleHeight + work.contestants.length * barStep - 3
  return `<text class="title" x="${x}" y="${y + 14}">${escaped(work.title)}</text>
<line class="measure" x1="${lineX}" x2="${lineX}" y1="${y + titleHeight - 4}" y2="${linesEnd}"/>
${bars.join('\n')}`
}

/** Two slanted gaps near the end of a bar that goes on. */
const cutAt = (end: number, y: number) =>
  [14, 20]
    .map(
      back =>
        `<path class="cut" d="M${end - back} ${y + barHeight + 1} l5 -${barHeight + 2} h2.5 l-5 ${barHeight + 2} z"/>`,
    )
    .join('')

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
