/** An image of a Dockerfile or a compose file, with its tag and, if pinned, its digest. */
const reference = /^(ARG \w*IMAGE=|\s*image: )([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?$/gm

/** The third-party images of a file. Throws on one that it cannot parse, which would escape the check. */
export function imagesIn(text: string): string[] {
  const images = [...text.matchAll(reference)].map(([, , name = '', digest = '']) => name + digest)
  const named = text
    .split('\n')
    .filter(line => /^(ARG \w*IMAGE=|FROM (?!\$\{)|\s*image: (?!chancery:\$\{))/.test(line))
  if (named.length !== images.length)
    throw new Error(`not all images can be parsed: ${named.join(', ')} against ${images.join(', ')}`)
  return images
}

/** The file with each image pinned to the current digest of its tag. */
export function pinImages(text: string, lookUp: (image: string) => string): string {
  return text.replace(reference, (_, before: string, name: string) => {
    const digest = lookUp(name)
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${name} has no digest: ${digest}`)
    return `${before}${name}@${digest}`
  })
}
