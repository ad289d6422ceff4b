/** The next round number: what the top of a chart stands for. */
export function roundUp(highest: number): number {
  if (highest <= 4) return 4
  const magnitude = 10 ** Math.floor(Math.log10(highest))
  const step = [1, 2, 4, 5, 10].find(factor => factor * magnitude >= highest) ?? 10
  return step * magnitude
}
