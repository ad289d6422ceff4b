/** The FNV-1a hash of a text (32 bits, over UTF-16 units). Its low bits mix badly: callers fold in the others. */
export function fnv1a(text: string, seed = 0x811c9dc5): number {
  let hash = seed
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}
