import { type FactsSource, sendFacts } from '../door/facts-stream.ts'
import type { OperatorDoor } from '../door/operator-door.ts'
import { grouped, megabytes, perSecond } from '../numbers.ts'
import { type Progress, startProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'
import type { IngestReport } from './report.ts'
import { type Source, unreadable } from './sources.ts'

/** Sends one file after the other, each as a stream of its own, so that line numbers are those of the file. */
export async function ingestFiles(
  door: OperatorDoor,
  sources: Source[],
  report: IngestReport,
  terminal: Terminal,
): Promise<void> {
  const total = totalBytes(sources)
  const progress = startProgress(terminal, 'Ingesting', total)
  const sent = { bytes: 0 }
  const ticking = setInterval(() => draw(progress, sent.bytes, report), 200)
  try {
    for (const source of sources) {
      for await (const outcome of sendFacts(door, counting(source, sent), { isCheck: report.isCheck }))
        report.add(source.name, outcome)
    }
    draw(progress, sent.bytes, report)
  } finally {
    clearInterval(ticking)
    progress.stop()
  }
}

async function* counting(source: Source, sent: { bytes: number }): FactsSource {
  try {
    for await (const chunk of source.open()) {
      yield chunk
      sent.bytes += chunk.length
    }
  } catch (err) {
    throw unreadable(source.name, err)
  }
}

function draw(progress: Progress, bytes: number, report: IngestReport) {
  const rate = perSecond(report.facts, report.elapsedMs)
  progress.update(bytes, `${megabytes(bytes)}, ${grouped(report.facts)} facts, ${rate} facts/s`)
}

/** Undefined if one of them is a pipe. */
function totalBytes(sources: Source[]): number | undefined {
  let total = 0
  for (const { bytes } of sources) {
    if (bytes === undefined) return undefined
    total += bytes
  }
  return total
}
