/** The middle one; of two in the middle the mean. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = (sorted.length - 1) / 2
  const at = (index: number) => sorted[index] ?? Number.NaN
  return (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2
}

/** The middle of those that there are; null where there is none. */
export function medianOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter(value => value !== null)
  return known.length > 0 ? medianOf(known) : null
}
