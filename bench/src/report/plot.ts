import { median } from '../machine.ts'
import { baselineOf, type HttpResults, ratioOf, type WorkloadResult } from './results.ts'

const width = 760
const margin = 24
const labelWidth = 164
const valueWidth = 110
const barHeight = 13
const barStep = 19
const titleHeight = 26
const groupGap = 22
/** A bar of twice the baseline fills the space; longer ones end there. */
const ratioMax = 2
const scale = (width - 2 * margin - labelWidth - valueWidth) / ratioMax

const style = `
  text { font: 12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: #3c4650; }
  .title { font-weight: 600; fill: #14191f; }
  .value { font-variant-numeric: tabular-nums; }
  .bar { fill: #b9c3cd; }
  .ours { fill: #2f6f9f; }
  .baseline { stroke: #66717d; stroke-dasharray: 2 3; }
  .paper { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #c3ccd5; }
    .title { fill: #eef2f6; }
    .bar { fill: #4a5560; }
    .ours { fill: #6db3e8; }
    .baseline { stroke: #93a0ad; }
    .paper { fill: #0d1117; }
  }`

/** Rates as bars; the dotted line is the simplest server with the same responses. */
export function plotOf({ workloads }: Pick<HttpResults, 'workloads'>): string {
  let y = margin
  const groups = workloads.map(workload => {
    const group = groupOf(workload, y)
    y += titleHeight + workload.targets.length * barStep + groupGap
    return group
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-labelledby="title">
<title id="title">Requests a second of Chancery and of others, as multiples of the simplest server with the same responses</title>
<style>${style}
</style>
<rect class="paper" width="${width}" height="${y}" rx="8"/>
${groups.join('\n')}
</svg>
`
}

function groupOf(workload: WorkloadResult, y: number): string {
  const x = margin + labelWidth
  const baseline = baselineOf(workload)
  const bars = workload.targets.map(({ id, title, perSecond }, index) => {
    const ratio = (baseline && ratioOf(workload, id, baseline)?.rate) ?? 0
    const barY = y + titleHeight + index * barStep
    const length = Math.max(1.5, Math.min(ratio, ratioMax) * scale)
    const rate = Math.round(median(perSecond)).toLocaleString('en')
    return `<text x="${x - 8}" y="${barY + 10.5}" text-anchor="end">${escaped(title)}</text>
<rect class="${id.startsWith('chancery') ? 'ours' : 'bar'}" x="${x}" y="${barY}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>
<text class="value" x="${(x + length + 6).toFixed(1)}" y="${barY + 10.5}">${ratio.toFixed(2)} · ${rate}/s</text>`
  })
  const bottom = y + titleHeight + workload.targets.length * barStep - 3
  return `<text class="title" x="${margin}" y="${y + 14}">${escaped(workload.title)}</text>
<line class="baseline" x1="${x + scale}" x2="${x + scale}" y1="${y + titleHeight - 4}" y2="${bottom}"/>
${bars.join('\n')}`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
