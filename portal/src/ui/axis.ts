/** Round values from one at most `low` to one of at least `high`: two to six. */
export function axisTicks(low: number, high: number, isWhole: boolean): number[] {
  // Values that hardly differ would have steps below the precision of numbers.
  const largest = Math.max(Math.abs(low), Math.abs(high))
  const range = high - low > largest * 1e-9 ? high - low : largest * 0.1 || 1
  const magnitude = 10 ** Math.floor(Math.log10(range / 4))
  const found = [1, 2, 5, 10].map(factor => factor * magnitude).find(step => range / step <= 4)
  const step = Math.max(isWhole ? 1 : 0, found ?? 10 * magnitude)
  const [from, to] = [Math.floor(low / step), Math.max(Math.ceil(high / step), Math.floor(low / step) + 1)]
  // Multiplied, not added up, and without the digits that a decimal fraction gets in binary.
  return Array.from({ length: to - from + 1 }, (_, index) => Number(((from + index) * step).toPrecision(12)))
}
