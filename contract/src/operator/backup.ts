import Type from 'typebox'
import { operatorOperation } from './operation.ts'

export const backupTake = operatorOperation({
  id: 'backup.take',
  method: 'POST',
  path: '/backup',
  tag: 'Service',
  roles: [],
  summary: 'Take a backup',
  description:
    'All of the database in one snapshot, while the service goes on. It holds everything that is private, and the hashes of keys and tokens: keep it as safe as the database. `chancery backup FILE` asks for it, and sees whether it is whole.',
  responses: {
    200: {
      description: 'The backup, as a stream. It is whole when its last line is.',
      content: {
        'application/gzip': {
          schema: Type.String({ format: 'binary', description: 'To be read by `chancery restore FILE`.' }),
          examples: {},
        },
      },
    },
  },
})
