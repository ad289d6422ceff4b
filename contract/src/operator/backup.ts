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
    'Returns the whole database as one consistent snapshot, without interrupting the service. It contains all private data and the hashes of keys and tokens: protect it like the database. `chancery backup FILE` requests it and checks that it is complete.',
  responses: {
    200: {
      description: 'The backup, as a stream. It is complete if it has its last line.',
      content: {
        'application/gzip': {
          schema: Type.String({ format: 'binary', description: 'Input of `chancery restore FILE`.' }),
          examples: {},
        },
      },
    },
  },
})
