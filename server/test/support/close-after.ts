import { after } from 'node:test'

/** Closes a resource after the tests of the file or suite that calls this, or after one test. */
export function closeAfter<T extends { close(): unknown }>(
  resource: T,
  owner: { after(close: () => unknown): void } = { after },
): T {
  owner.after(() => resource.close())
  return resource
}
