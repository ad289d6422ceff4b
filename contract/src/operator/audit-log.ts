import Type from 'typebox'
import { limits } from '../limits.ts'
import { nullable, position, strictObject, text, time } from '../shared-schemas.ts'
import { listResponse, named, operatorOperation } from './operation.ts'

export const logList = operatorOperation({
  id: 'log.list',
  method: 'GET',
  path: '/log',
  tag: 'Tokens',
  roles: [],
  summary: 'Read the operator log',
  description: `Who did what by this listener, the latest first: every call that may change something, and every batch of facts that was not sent before. It goes back ${limits.auditLogDays} days; batches of facts ${limits.batchIdDays} days, and at most ${limits.auditLogLinesPerAction} lines of one action. A line is written before anything is done, and completed with status and subject after it. Lines of batches appear within a second.`,
  query: strictObject({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'How many lines. Default 100.' }),
    ),
    before: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Only lines before this one, by its id: the last of the page before.',
      }),
    ),
  }),
  responses: {
    200: listResponse(
      'The lines.',
      named(
        'LogLine',
        strictObject(
          {
            id: position({ description: 'Number of the line. Numbers have gaps.' }),
            at: time({ description: 'When it was asked for.' }),
            token_id: text(64, { description: 'The token; `main` for the one of the configuration.' }),
            token_name: text(100, { description: 'Its name at that time.' }),
            action: text(100, { description: 'What was asked for: method and path.' }),
            subject: nullable(
              text(200, {
                description:
                  'What it was done to: an id of the path, of what was made, or of the batch; null where it failed.',
              }),
            ),
            status: nullable(
              Type.Integer({
                minimum: 100,
                maximum: 599,
                description:
                  'The HTTP status that was answered, for a batch of a stream that of its outcome; null where the process ended before it knew.',
              }),
            ),
          },
          { description: 'Something that was done by this listener.' },
        ),
      ),
      {
        id: 4117,
        at: '2026-05-27T18:00:00.113Z',
        token_id: 'tok_4fZk81QzL0w',
        token_name: 'game-server',
        action: 'POST /codes',
        subject: 'n42',
        status: 201,
      },
    ),
  },
})
