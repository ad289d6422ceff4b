import Type from 'typebox'
import { limits } from '../limits.ts'
import { nullable, position, strictObject, text, time, timeOfAnyZone } from '../shared-schemas.ts'
import { listResponse, named, operatorOperation } from './operation.ts'

export const logList = operatorOperation({
  id: 'log.list',
  method: 'GET',
  path: '/log',
  tag: 'Tokens',
  roles: [],
  summary: 'Read the audit log',
  description: `Requests to the operator API by token, newest first: every request that may change something, and every batch of facts, once. Lines are kept for ${limits.auditLogDays} days, those of batches for ${limits.batchIdDays} days, and at most ${limits.auditLogLinesPerAction} lines of one action. A line is written before the action, and completed with status and subject after it. Lines of batches appear within a second.`,
  query: strictObject({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'Number of lines. Default 100.', example: 20 }),
    ),
    before: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Only lines before this id: the last one of the previous page.',
        example: 5120,
      }),
    ),
    action: Type.Optional(
      Type.String({ maxLength: 100, description: 'Only of this method and path.', example: 'POST /keys' }),
    ),
    token_id: Type.Optional(
      Type.String({ maxLength: 64, description: 'Only of this token.', example: 'tok_4fZk81QzL0w' }),
    ),
    subject: Type.Optional(
      Type.String({ maxLength: 200, description: 'Only with this subject.', example: 'n42' }),
    ),
    since: Type.Optional(
      timeOfAnyZone({ description: 'Only requests at or after this time.', example: '2026-05-01T00:00:00Z' }),
    ),
    until: Type.Optional(
      timeOfAnyZone({ description: 'Only requests before this time.', example: '2026-06-01T00:00:00Z' }),
    ),
    batches: Type.Optional(
      Type.Boolean({ description: 'false omits the lines of batches. Default true.', example: false }),
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
            at: time({ description: 'When the request was received.' }),
            token_id: text(64, { description: 'The token; `main` for the admin token.' }),
            token_name: text(100, { description: 'Its name at that time.' }),
            action: text(100, { description: 'Method and path.' }),
            subject: nullable(
              text(200, {
                description:
                  'The id in the path, of the created resource, or of the batch; null if the request failed.',
              }),
            ),
            status: nullable(
              Type.Integer({
                minimum: 100,
                maximum: 599,
                description:
                  'The HTTP status of the response, or that of the result of a batch in a stream; null if the process ended before.',
              }),
            ),
          },
          { description: 'A request to the operator API.' },
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
