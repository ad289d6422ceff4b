import { describe } from 'node:test'
import { expectBody, expectError } from '../../src/expect.ts'
import { promise } from '../../src/promise.ts'
import { era, page } from '../../src/resources.ts'
import type { Scene } from '../../src/scene.ts'

const otherVersions = [
  '/api/v2/eras',
  '/api/public/v2/eras',
  '/api/eras',
  '/api/public/eras',
  '/v1/eras',
  '/api/v1.1/eras',
]

export function versioning({ visit }: Scene): void {
  describe('9. Versioning', () => {
    for (const path of ['/api/v1/eras', '/api/public/v1/eras'])
      promise(`the version is part of the path: ${path}`, async () => {
        expectBody(await visit.ask(path), page(era))
      })

    promise('other versions and none are not found', async () => {
      for (const path of otherVersions) expectError(await visit.ask(path), 404, 'not_found')
    })
  })
}
