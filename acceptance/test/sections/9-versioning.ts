import { describe } from 'node:test'
import { expectError } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { specTest } from '../../src/spec-test.ts'

const otherVersions = [
  '/api/v2/eras',
  '/api/public/v2/eras',
  '/api/eras',
  '/api/public/eras',
  '/v1/eras',
  '/api/v1.1/eras',
]

export function versioning({ client }: Fixture): void {
  describe('9. Versioning', () => {
    for (const path of ['/api/v1/eras', '/api/public/v1/eras'])
      specTest(`the version is part of the path: ${path}`, async () => {
        await client.read(path)
      })

    specTest('other versions, and paths without one, are not found', async () => {
      for (const path of otherVersions) expectError(await client.request(path), 404, 'not_found')
    })
  })
}
