import Type from 'typebox'
import { nullable } from '../shared-schemas.ts'

/** The endpoint that examples are about. */
export const exampleEndpointId = 'whe_5bqk2yVh0TzD'

/** What an attempt to deliver came to, in the log and in a test. */
export const httpStatus = () =>
  nullable(Type.Integer({ description: 'The status that was answered; null where there was no answer.' }))
export const failure = () =>
  nullable(Type.String({ description: 'Why there was no answer; null where there was ofOneWebhook.' }))
export const answer = () =>
  nullable(
    Type.String({ description: 'The first kilobyte of the answer: a stranger’s text; null for no answer.' }),
  )
export const latency = () => Type.Number({ minimum: 0, description: 'How long it took, in milliseconds.' })

const pathParameter = { name: 'id', description: 'The endpoint’s id.', example: exampleEndpointId }
export const ofWebhooks = { tag: 'Webhooks', roles: [] } as const
/** An operation on one endpoint. */
export const ofOneWebhook = { ...ofWebhooks, pathParameter, errors: ['not_found'] } as const
