import type { MemoryResult } from './results.ts'

/** What a process held in memory over the time that it was watched, in bytes. */
export interface MemoryTrend {
  /** The mean of each minute, from the first one on. */
  minutes: number[]
  most: number
  /** The means of the second fifth of the time, by when it has warmed up, and of the last. */
  early: number
  late: number
  /** How much more an hour would bring, by the line that lies closest to the last two thirds of the time. */
  perHour: number
}

/** There has to be a sample. */
export function memoryTrendOf(samples: MemoryResult['samples']): MemoryTrend {
  const bytes = samples.map(sample => sample.bytes)
  const fifth = Math.max(1, Math.floor(bytes.length / 5))
  const ofMinute = Map.groupBy(samples, ({ second }) => Math.floor(second / 60))
  return {
    minutes: [...ofMinute.values()].map(group => meanOf(group.map(sample => sample.bytes))),
    most: Math.max(...bytes),
    early: meanOf(bytes.length > 1 ? bytes.slice(fifth, fifth * 2) : bytes),
    late: meanOf(bytes.slice(-fifth)),
    perHour: slopeOf(samples.slice(Math.floor(samples.length / 3))) * 3600,
  }
}

/** Of the line with the least squares, in bytes a second; 0 where all samples are of one second. */
function slopeOf(samples: MemoryResult['samples']): number {
  const second = meanOf(samples.map(sample => sample.second))
  const bytes = meanOf(samples.map(sample => sample.bytes))
  let shared = 0
  let spread = 0
  for (const sample of samples) {
    shared += (sample.second - second) * (sample.bytes - bytes)
    spread += (sample.second - second) ** 2
  }
  return spread === 0 ? 0 : shared / spread
}

const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
