/** A reporter of node:test that writes the files in which a test failed, one a line. */
import type { TestEvent } from 'node:test/reporters'

export default async function* failedFiles(events: AsyncIterable<TestEvent>) {
  const told = new Set<string>()
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.file === undefined || told.has(data.file)) continue
    told.add(data.file)
    yield `${data.file}\n`
  }
}
