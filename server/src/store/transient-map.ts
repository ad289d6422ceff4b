/**
 * A Map for entries that come and go by the thousand, such as requests in flight. A plain Map that lives long replaces its table again and
 * again, and until V8 collects its old generation, the former tables keep alive what was in them: requests, rows and bodies, which then
 * fill the old generation. Here the whole Map is replaced by a copy before its tables are old.
 */
export class TransientMap<K, V> {
  #map = new Map<K, V>()
  #addedCount = 0

  get size(): number {
    return this.#map.size
  }

  get(key: K): V | undefined {
    return this.#map.get(key)
  }

  set(key: K, value: V): void {
    this.#addedCount += 1
    if (this.#addedCount > copyAfter && this.#addedCount > this.#map.size) {
      this.#map = new Map(this.#map)
      this.#addedCount = 0
    }
    this.#map.set(key, value)
  }

  delete(key: K): boolean {
    return this.#map.delete(key)
  }

  values(): IterableIterator<V> {
    return this.#map.values()
  }

  clear(): void {
    this.#map.clear()
  }
}

/** Additions after which the Map is copied; more for one of more entries, so that an addition copies one entry on average, or less. */
const copyAfter = 100
