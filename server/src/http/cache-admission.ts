/** A power of two: as many as are asked for within one version of the world, and some more, so that few share a bit. */
const bitsCount = 2 ** 17

/** With more, too much would count as asked for that never was. */
const notedMax = bitsCount / 4

/**
 * Tells whether something was asked for before in the same version of the world, and notes that it is now. What shares its bit with
 * something else counts as asked for. In a world that stands still it begins anew from time to time.
 */
export function createDoorkeeper(): (name: string, worldVersion: number) => boolean {
  const bits = new Uint8Array(bitsCount / 8)
  let notedVersion: number | undefined
  let notedCount = 0
  return (name, worldVersion) => {
    if (worldVersion !== notedVersion || notedCount > notedMax) {
      bits.fill(0)
      notedVersion = worldVersion
      notedCount = 0
    }
    const bit = hashOf(name) & (bitsCount - 1)
    const place = bit >> 3
    const mask = 1 << (bit & 7)
    const noted = bits[place] ?? 0
    if ((noted & mask) !== 0) return true
    bits[place] = noted | mask
    notedCount += 1
    return false
  }
}

/** FNV-1a, with its upper half folded in: names that differ in a digit come to bits of their own. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < name.length; index += 1)
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193)
  return hash ^ (hash >>> 16)
}
