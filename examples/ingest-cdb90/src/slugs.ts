import { createHash } from 'node:crypto'

const lengthMax = 64
const hashLength = 8

/** Assigns each name a unique id that is safe in a URL: `Dutch Republic` is `dutch-republic`. */
export function slugsOf(names: Iterable<string>): (name: string) => string {
  const distinct = [...new Set(names)]
  const plain = Map.groupBy(distinct, plainSlug)
  const slugs = new Map(
    distinct.map(name => {
      const slug = plainSlug(name)
      const isFit = slug !== '' && slug.length <= lengthMax && plain.get(slug)?.length === 1
      return [name, isFit ? slug : hashedSlug(slug, name)]
    }),
  )
  if (new Set(slugs.values()).size !== slugs.size) throw new Error('two names have one slug')
  return name => {
    const slug = slugs.get(name)
    if (slug === undefined) throw new Error(`no slug for ${name}`)
    return slug
  }
}

/** Removes accents; other characters than ASCII letters and digits become hyphens. */
const plainSlug = (name: string) =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

function hashedSlug(slug: string, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength)
  const start = slug.slice(0, lengthMax - hashLength - 1).replace(/-$/, '')
  return start === '' ? hash : `${start}-${hash}`
}
