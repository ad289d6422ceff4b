/** An image as a Dockerfile or a compose file names it: with its tag, and with a digest where it is pinned. */
const reference = /^(ARG \w*IMAGE=|\s*image: )([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?$/gm

/** The images of others that a file names. Fails where it finds one that it cannot read, which would escape the check. */
export function imagesIn(text: string): string[] {
  const images = [...text.matchAll(reference)].map(([, , name = '', digest = '']) => name + digest)
  const named = text
    .split('\n')
    .filter(line => /^(ARG \w*IMAGE=|FROM (?!\$\{)|\s*image: (?!chancery:\$\{))/.test(line))
  if (named.length !== images.length)
    throw new Error(`not all images are read: ${named.join(', ')} against ${images.join(', ')}`)
  return images
}

/** The same file with each image by the digest that its tag has now. */
export function pinImages(text: string, lookUp: (image: string) => string): string {
  return text.replace(reference, (_, before: string, name: string) => {
    const digest = lookUp(name)
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${name} has no digest: ${digest}`)
    return `${before}${name}@${digest}`
  })
}
