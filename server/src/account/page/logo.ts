import { readFile, stat } from 'node:fs/promises'
import { StartupError } from '../../start/startup-error.ts'

/** The picture that the page shows, as it is served. */
export interface Logo {
  bytes: Buffer
  contentType: string
}

const bytesMax = 200 * 1024

/**
 * Reads the logo. What it is follows from its bytes, not from its name.
 * @throws {StartupError} where it cannot be read, is too large, or is no picture that browsers show safely.
 */
export async function readLogo(file: string): Promise<Logo> {
  const fail = (problem: string) => new StartupError(`CHANCERY_PAGE_LOGO: the file ${file} ${problem}`)
  const { size } = await stat(file).catch(() => {
    throw fail('cannot be read')
  })
  if (size > bytesMax) throw fail('is larger than 200 KB')
  const bytes = await readFile(file).catch(() => {
    throw fail('cannot be read')
  })
  const contentType = typeOf(bytes)
  if (!contentType) throw fail('is neither SVG nor PNG nor WebP')
  return { bytes, contentType }
}

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')

function typeOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8).equals(pngSignature)) return 'image/png'
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP')
    return 'image/webp'
  const isSvg = /^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*|<!DOCTYPE[^>[]*>\s*)*<svg[\s>]/i.test(
    bytes.toString(),
  )
  return isSvg ? 'image/svg+xml' : undefined
}
